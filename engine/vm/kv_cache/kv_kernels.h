// SPDX-License-Identifier: Apache-2.0
// The kernels that an executable brings for its KV cache. Plain data once read.
#pragma once

#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/function.h>

#include <optional>
#include <utility>
#include <vector>

namespace opscope::vm {

/// A kernel that may be missing; calling it then raises RuntimeError naming its purpose.
class KvKernel {
 public:
  KvKernel() = default;
  KvKernel(const char* purpose, tvm::ffi::Function function)
      : m_purpose(purpose), m_function(std::move(function)) {}

  bool defined() const { return m_function != nullptr; }
  const tvm::ffi::Function& function() const { return m_function; }

  template <class... Args>
  void operator()(Args&&... args) const {
    if (!defined()) {
      failMissing();
    }
    m_function(std::forward<Args>(args)...);
  }

 private:
  [[noreturn]] void failMissing() const;

  const char* m_purpose = "";
  tvm::ffi::Function m_function{nullptr};
};

struct KvKernels {
  KvKernel append;         ///< (pages, keys, values, slots)
  KvKernel appendLatent;   ///< (pages, keys and values, slots)
  KvKernel raggedPrefill;  ///< new queries on new keys
  KvKernel pagedPrefill;
  KvKernel decode;
  KvKernel slidingPrefill;
  KvKernel slidingDecode;
  KvKernel treePaged;
  KvKernel treeRagged;
  KvKernel latentPrefill;
  std::vector<KvKernel>
      merge;             ///< of outputs of two parts of attention; second one: for the model's own calls
  KvKernel splitRotary;  ///< (fused q k v, positions, q, k, v, rope factors or whether to rotate)
  KvKernel copyPage;     ///< (pages, from, to, tokens)
  KvKernel debugGet;
  KvKernel compact;  ///< (pages, starts, from and to slots, sequences)
  std::optional<tvm::ffi::Tensor> ropeFactors;

  /// TVM passes the two tree kernels of CPU executables in the other order than those of GPU executables, and
  /// its runtime fails to call them. This puts them right, told by the number of their arguments. Takes long
  /// (a failing call of each), so it is left until there is a tree.
  void orderTreeKernels();
};

}  // namespace opscope::vm
