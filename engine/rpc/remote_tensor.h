// SPDX-License-Identifier: Apache-2.0
// Tensors whose elements lie on a server. `data` points to a RemoteSpace, which lives as long as the tensor;
// the device carries its session's mask, so that nothing local touches the elements. Any thread. Behaviour:
// seed 001, RemoteSpace and TensorFromRemoteOpaqueHandle.
#pragma once

#include <tvm/ffi/container/tensor.h>

#include <cstdint>

#include "engine/rpc/remote_session.h"
#include "engine/rpc/value.h"

namespace opscope::rpc {

/// What `data` of a remote tensor points to.
struct RemoteSpace {
  std::uint64_t data = 0;  ///< address on the server
  tvm::ffi::ObjectPtr<RemoteSessionObj> session;
};

/// A tensor of the session's over `view`, whose device has no mask. The handle `owner` is freed once, with
/// the last reference to the tensor; 0 for memory that somebody else owns.
tvm::ffi::Tensor makeRemoteTensor(const tvm::ffi::ObjectPtr<RemoteSessionObj>& session,
                                  const TensorView& view, std::uint64_t owner);

/// The view of a tensor, or of a DLTensor whose data is a RemoteSpace, as this session's server knows it.
/// Raises InternalError for local devices and for those of another session.
TensorView remoteViewOf(const RemoteSessionObj& session, const DLTensor& tensor);

/// The device without its mask. Raises as remoteViewOf.
DLDevice remoteDeviceOf(const RemoteSessionObj& session, DLDevice device);

}  // namespace opscope::rpc
