// SPDX-License-Identifier: Apache-2.0
// Arguments and results that live on a board. On the worker; everything here must go before the client that
// it belongs to.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/rpc/client.h"
#include "engine/rpc/remote_handles.h"
#include "engine/session/input_value.h"
#include "engine/session/outputs.h"

namespace opscope::session {

/// A value as a call takes it, with what it owns on the board.
struct RemoteValue {
  rpc::Value argument;
  std::optional<rpc::TensorView> tensor;  ///< where it is one
  bool isArray = false;                   ///< an object of the board's whose members can be asked for
  bool isTuple = false;                   ///< `members` are known
  std::vector<RemoteValue> members;
  rpc::OwnedHandle owner;
  rpc::RemoteTensor memory;  ///< of a tensor that is no object
};

class RemoteValues {
 public:
  RemoteValues(rpc::Client& client, DLDevice device) : m_client(client), m_device(device) {}

  /// `input` as an argument. Values made for it are added to `made`, which must live as long as the argument
  /// is used. `results` are those of the earlier steps. Errors: those of the session; InvalidArgument naming
  /// `place`.
  base::Result<rpc::Value> argumentOf(const InputValue& input, const std::deque<RemoteValue>& results,
                                      std::string_view place, std::deque<RemoteValue>& made);

  /// What a call returned.
  RemoteValue take(rpc::CallResult result);

  /// As addOutput, with tensors copied from the board. Objects that only the board knows have a summary only.
  base::Result<> addOutput(const std::string& path, const RemoteValue& value, Outputs& outputs);

  /// Member `index` of a tuple; what had to be asked for is added to `made`.
  base::Result<const RemoteValue*> memberOf(const RemoteValue& value, std::int64_t index,
                                            std::string_view place, std::deque<RemoteValue>& made);

  /// A new tensor on the board, as an object where the server has such; not initialised.
  base::Result<RemoteValue> makeTensor(const std::vector<std::int64_t>& shape, DLDataType type);
  base::Result<RemoteValue> makeShape(const std::vector<std::int64_t>& values);

 private:
  base::Result<RemoteValue> copyOver(const arrays::Array& array);
  base::Result<rpc::Value> resultAsArgument(const StepResult& wanted, const std::deque<RemoteValue>& results,
                                            std::string_view place, std::deque<RemoteValue>& made);
  base::Result<rpc::Value> arrayOf(std::vector<rpc::Value> members, std::deque<RemoteValue>& made);
  base::Result<rpc::Value> wholeOf(const RemoteValue& value, std::deque<RemoteValue>& made);
  base::Result<RemoteValue> call(const std::string& function, std::vector<rpc::Value> arguments);
  bool takesObjects() const;

  rpc::Client& m_client;
  DLDevice m_device;
};

}  // namespace opscope::session
