// SPDX-License-Identifier: Apache-2.0
// What a program does once before it opens executables.
#include <gtest/gtest.h>

#include "engine/runtime/backend_symbols.h"
#include "engine/vm/builtins.h"

namespace {

class EngineEnvironment : public testing::Environment {
 public:
  void SetUp() override {
    opscope::runtime::registerBackendSymbols();
    opscope::vm::registerBuiltins();
  }
};

const testing::Environment* const kEnvironment = testing::AddGlobalTestEnvironment(new EngineEnvironment);

}  // namespace
