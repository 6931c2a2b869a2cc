// SPDX-License-Identifier: Apache-2.0
// A library that needs what nothing provides.

extern "C" void nobodyHasThisFunction();
extern "C" int nobodyHasThisVariable;
extern "C" void __attribute__((weak)) weakOnesMayBeMissing();

extern "C" __attribute__((visibility("default"))) int callThem() {
  if (weakOnesMayBeMissing != nullptr) {
    weakOnesMayBeMissing();
  }
  nobodyHasThisFunction();
  return nobodyHasThisVariable;
}
