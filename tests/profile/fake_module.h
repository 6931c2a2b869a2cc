// SPDX-License-Identifier: Apache-2.0
// A module of any kind with one function.
#pragma once

#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>

#include <string>
#include <utility>

namespace opscope::profile::testing {

namespace ffi = tvm::ffi;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"

class ModuleOfKind final : public ffi::ModuleObj {
 public:
  ModuleOfKind(std::string kind, std::string name, ffi::Function function)
      : m_kind(std::move(kind)), m_name(std::move(name)), m_function(std::move(function)) {}
  const char* kind() const final { return m_kind.c_str(); }
  ffi::Optional<ffi::Function> GetFunction(const ffi::String& name) final {
    return std::string(name) == m_name ? ffi::Optional<ffi::Function>(m_function) : std::nullopt;
  }

 private:
  std::string m_kind;
  std::string m_name;
  ffi::Function m_function;
};

#pragma GCC diagnostic pop

}  // namespace opscope::profile::testing
