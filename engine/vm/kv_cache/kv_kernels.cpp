// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/kv_cache/kv_kernels.h"

#include <fmt/format.h>
#include <tvm/ffi/error.h>

#include <charconv>
#include <string>
#include <string_view>

#include "engine/vm/builtins/arguments.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

void KvKernel::failMissing() const {
  raise("RuntimeError", fmt::format("KV cache: the executable brings no kernel for {}", m_purpose));
}

namespace {

/// Number of arguments that a compiled kernel takes, read from its refusal to run without any; -1 when it
/// does not tell.
int arityOf(const KvKernel& kernel) {
  try {
    static_cast<void>(kernel.function()());
  } catch (const ffi::Error& error) {
    constexpr std::string_view kBefore = "xpected ";
    const std::string message = error.message();
    const std::size_t found = message.find(kBefore);
    int arity = -1;
    if (found != std::string::npos) {
      const char* first = message.data() + found + kBefore.size();
      std::from_chars(first, message.data() + message.size(), arity);
    }
    return arity;
  }
  return -1;
}

}  // namespace

void KvKernels::orderTreeKernels() {
  constexpr int kPagedArity = 16;
  constexpr int kRaggedArity = 14;
  if (treePaged.defined() && treeRagged.defined() && arityOf(treePaged) == kRaggedArity &&
      arityOf(treeRagged) == kPagedArity) {
    std::swap(treePaged, treeRagged);
  }
}

}  // namespace opscope::vm
