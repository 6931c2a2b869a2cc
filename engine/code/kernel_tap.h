// SPDX-License-Identifier: Apache-2.0
// Who hears of the kernels that a patched library calls. One thread has one tap at a time: calls on other
// threads go straight to the kernels.
#pragma once

#include <cstdint>

namespace opscope::code {

/// TVM's C signature of kernels; arguments and result are arrays of TVMFFIAny.
using KernelFunction = int (*)(void* handle, const void* arguments, std::int32_t count, void* result);

struct KernelCall {
  std::uint32_t kernel = 0;             ///< as it was given to the patch
  const void* returnAddress = nullptr;  ///< in the caller, after its call
  const void* arguments = nullptr;
  std::int32_t count = 0;
  void* result = nullptr;  ///< to be passed on only: callers that know the kernel may leave it unset
};

class KernelTap {
 public:
  enum class Answer {
    Watch,   ///< make the call and tell of its end
    Ignore,  ///< make the call
    Refuse   ///< do not: the caller gets an error, which the tap has raised
  };
  virtual ~KernelTap() = default;
  /// Must not throw, as the caller is generated code.
  virtual Answer beginKernel(const KernelCall& call) noexcept = 0;
  /// `succeeded` is false when the kernel returned an error or threw. False: the caller gets an error, which
  /// the tap has raised.
  virtual bool endKernel(const KernelCall& call, bool succeeded) noexcept = 0;

  /// The one of this thread, or nullptr.
  static KernelTap* current();
};

/// Sets the thread's tap until the scope ends; scopes nest.
class KernelTapScope {
 public:
  explicit KernelTapScope(KernelTap* tap);
  ~KernelTapScope();
  KernelTapScope(const KernelTapScope&) = delete;
  KernelTapScope& operator=(const KernelTapScope&) = delete;

 private:
  KernelTap* m_previous;
};

}  // namespace opscope::code
