// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/remote_tensor.h"

#include <tvm/ffi/error.h>

#include <utility>

namespace opscope::rpc {

namespace {

[[noreturn]] void raiseInternal(const char* message) {
  throw tvm::ffi::Error("InternalError", message, "");
}

/// TVM's tensor asks this for its memory, and gives it back.
class RemoteAllocation {
 public:
  RemoteAllocation(RemoteSpace space, std::uint64_t owner, std::uint64_t byteOffset)
      : m_space(std::move(space)), m_owner(owner), m_byteOffset(byteOffset) {}

  void AllocData(DLTensor* tensor) {  // NOLINT(readability-identifier-naming): called by tvm-ffi
    tensor->data = &m_space;
    tensor->byte_offset = m_byteOffset;
  }
  void FreeData(DLTensor* /*tensor*/) {  // NOLINT(readability-identifier-naming): called by tvm-ffi
    m_space.session->free(m_owner);
  }

 private:
  RemoteSpace m_space;
  std::uint64_t m_owner;
  std::uint64_t m_byteOffset;
};

}  // namespace

tvm::ffi::Tensor makeRemoteTensor(const tvm::ffi::ObjectPtr<RemoteSessionObj>& session,
                                  const TensorView& view, std::uint64_t owner) {
  return tvm::ffi::Tensor::FromNDAlloc(RemoteAllocation({view.data, session}, owner, view.byteOffset),
                                       tvm::ffi::ShapeView(view.shape.data(), view.shape.size()), view.dtype,
                                       addSessionMask(view.device, session->index()));
}

DLDevice remoteDeviceOf(const RemoteSessionObj& session, DLDevice device) {
  const auto index = sessionIndexOf(device);
  if (!index.has_value()) {
    raiseInternal("Can not pass in local device");
  }
  if (*index != session.index()) {
    raiseInternal("Can not pass in device with a different remote session");
  }
  return removeSessionMask(device);
}

TensorView remoteViewOf(const RemoteSessionObj& session, const DLTensor& tensor) {
  TensorView view;
  view.device = remoteDeviceOf(session, tensor.device);
  if (!tvm::ffi::IsContiguous(tensor)) {
    throw tvm::ffi::Error("ValueError", "Cannot pass a tensor with gaps between its elements to remote", "");
  }
  view.data = tensor.data == nullptr ? 0 : static_cast<const RemoteSpace*>(tensor.data)->data;
  view.dtype = tensor.dtype;
  view.shape.assign(tensor.shape, tensor.shape + tensor.ndim);
  view.byteOffset = tensor.byte_offset;
  return view;
}

}  // namespace opscope::rpc
