// SPDX-License-Identifier: Apache-2.0
// The functions of the registry through which TVM's programs reach servers. Any thread.
// Behaviour: seed 001's registrations and rpc.Connect of TVM's socket client.
#pragma once

namespace opscope::rpc {

/// Registers rpc.Connect(host, port, key, logging, constructor...), rpc.LoadRemoteModule(session, name),
/// rpc.ImportRemoteModule(parent, child), rpc.SessTableIndex(session),
/// tvm.rpc.TensorFromRemoteOpaqueHandle(session, data, template, device, owner), and what
/// runtime.RPCTimeEvaluator hands modules of kind "rpc" to: opscope.rpc.time_evaluator, with the same
/// arguments. Called from main, not in a server: it would let its clients reach other computers. Again: new
/// registrations with a new table of sessions.
void registerRemoteFunctions();

}  // namespace opscope::rpc
