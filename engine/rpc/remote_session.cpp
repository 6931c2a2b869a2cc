// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/remote_session.h"

#include <tvm/ffi/error.h>

#include <utility>

namespace opscope::rpc {

namespace {

const char* kindOf(base::ErrorCode code) {
  switch (code) {
    case base::ErrorCode::InvalidArgument:
      return "ValueError";
    case base::ErrorCode::MissingFunction:
      return "InternalError";
    case base::ErrorCode::Timeout:
      return "RPCSessionTimeoutError";
    default:
      return "RPCError";
  }
}

int indexIn(SessionTableObj& table, RemoteSessionObj* session) {
  const auto index = table.insert(session);
  if (!index) {
    raiseRemote(index.error());
  }
  return *index;
}

}  // namespace

void raiseRemote(const base::Error& error) {
  std::string text = error.code == base::ErrorCode::Remote ? "Error caught from RPC call:\n" : "";
  text += error.message;
  for (const std::string* more : {&error.detail, &error.hint}) {
    text += more->empty() ? "" : "\n" + *more;
  }
  throw tvm::ffi::Error(kindOf(error.code), text, "");
}

RemoteSessionObj::RemoteSessionObj(std::unique_ptr<Client> client, tvm::ffi::ObjectPtr<SessionTableObj> table)
    : m_client(std::move(client)), m_table(std::move(table)), m_index(indexIn(*m_table, this)) {}

RemoteSessionObj::~RemoteSessionObj() {
  m_client.reset();
  m_table->remove(m_index);
}

std::uint64_t RemoteSessionObj::globalFunction(std::string_view name) {
  const std::lock_guard lock(m_mutex);
  const auto function = m_client->globalFunction(name);
  if (!function) {
    raiseRemote(function.error());
  }
  return function->has_value() ? (*function)->handle : 0;
}

FunctionHandle RemoteSessionObj::keptFunction(const std::string& name) {
  const std::lock_guard lock(m_mutex);
  auto function = m_client->keptFunction(name);
  if (!function) {
    base::Error error = std::move(function).error();
    if (error.code == base::ErrorCode::MissingFunction) {
      error.message = "Cannot find the remote function " + name + ": " + error.message;
    }
    raiseRemote(error);
  }
  return *function;
}

CallResult RemoteSessionObj::call(FunctionHandle function, std::span<const Value> arguments) {
  const std::lock_guard lock(m_mutex);
  auto result = m_client->call(function, arguments);
  if (!result) {
    raiseRemote(result.error());
  }
  return *std::move(result);
}

void RemoteSessionObj::free(std::uint64_t handle) {
  if (handle == 0) {
    return;
  }
  const std::lock_guard lock(m_mutex);
  m_client->free(handle);
}

void RemoteSessionObj::shutdown() {
  const std::lock_guard lock(m_mutex);
  m_client->shutdown();
}

std::optional<base::Error> RemoteSessionObj::failure() {
  const std::lock_guard lock(m_mutex);
  return m_client->failure();
}

}  // namespace opscope::rpc
