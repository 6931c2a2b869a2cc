// SPDX-License-Identifier: Apache-2.0
// Tensors by name, shared by all machines of the process: TVM's functions for parameters have no other place
// for them. The pool belongs to the ffi registry, as a function that returns it. Any thread.
#pragma once

#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/object.h>

#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace opscope::vm {

class TensorPoolObj : public tvm::ffi::Object {
 public:
  void set(const std::string& name, const tvm::ffi::Tensor& tensor) {
    const std::lock_guard lock(m_mutex);
    m_tensors.insert_or_assign(name, tensor);
  }
  /// Returns false, changing nothing, when the name is taken.
  bool add(const std::string& name, const tvm::ffi::Tensor& tensor) {
    const std::lock_guard lock(m_mutex);
    return m_tensors.emplace(name, tensor).second;
  }
  std::optional<tvm::ffi::Tensor> find(const std::string& name) const {
    const std::lock_guard lock(m_mutex);
    const auto found = m_tensors.find(name);
    return found == m_tensors.end() ? std::nullopt : std::optional(found->second);
  }
  void remove(const std::string& name) {
    const std::lock_guard lock(m_mutex);
    m_tensors.erase(name);
  }
  void clear() {
    const std::lock_guard lock(m_mutex);
    m_tensors.clear();
  }

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("opscope.TensorPool", TensorPoolObj, tvm::ffi::Object);

 private:
  mutable std::mutex m_mutex;
  std::map<std::string, tvm::ffi::Tensor> m_tensors;
};

class TensorPool : public tvm::ffi::ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(TensorPool, tvm::ffi::ObjectRef, TensorPoolObj);
};

}  // namespace opscope::vm
