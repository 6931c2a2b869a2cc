// SPDX-License-Identifier: Apache-2.0
// Under a sanitizer an allocation that is too large must return null, as it does without one, so that tests
// see how running out of memory is handled.

extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1";
}
extern "C" const char* __tsan_default_options() {
  return "allocator_may_return_null=1";
}
