// SPDX-License-Identifier: Apache-2.0
#include "engine/session/remote_program.h"

#include <fmt/format.h>

#include "engine/base/clock.h"
#include "engine/session/remote_traffic.h"
#include "engine/session/run_device.h"

namespace opscope::session {

namespace {

/// The error told with what was being done.
base::Error at(std::string what, base::Error error) {
  error.message = fmt::format("{}: {}", what, error.message);
  return error;
}

/// A machine's last device is the host's.
std::vector<rpc::Value> initialValues(DLDevice device, runtime::AllocatorKind allocator) {
  const std::int64_t kind = allocator == runtime::AllocatorKind::Naive ? 1 : 2;
  std::vector<rpc::Value> values = {std::int64_t{device.device_type}, std::int64_t{device.device_id}, kind};
  if (device.device_type != kDLCPU) {
    values.insert(values.end(), {std::int64_t{kDLCPU}, std::int64_t{0}, kind});
  }
  return values;
}

base::Result<> checkArchitecture(const RemoteBoard& board, const OpenedExecutable& file) {
  if (board.architecture().empty() || board.architecture() == file.info->architecture) {
    return {};
  }
  return base::Error{base::ErrorCode::Unsupported,
                     fmt::format("{} is built for {}, the board is {}.", file.info->fileName,
                                 file.info->architecture, board.architecture()),
                     fmt::format("The board at {} tells so.", board.target().text),
                     "Compile the model for the board's architecture, or choose another board."};
}

}  // namespace

base::Result<rpc::CallResult> PlainDriver::call(std::uint32_t /*step*/, rpc::FunctionHandle function,
                                                std::span<const rpc::Value> arguments) {
  const std::int64_t begin = base::monotonicNs();
  auto result = m_client.call(function, arguments);
  m_totalNs += static_cast<double>(base::monotonicNs() - begin);
  return result;
}

base::Result<rpc::CallResult> StepDriver::call(std::uint32_t step, rpc::FunctionHandle function,
                                               std::span<const rpc::Value> arguments) {
  std::vector<rpc::Value> values = {std::int64_t{step}, function};
  values.insert(values.end(), arguments.begin(), arguments.end());
  return m_client.call(m_step, values);
}

base::Result<std::unique_ptr<RemoteProgram>> RemoteProgram::load(RemoteBoard& board,
                                                                 const OpenedExecutable& file,
                                                                 const RunSettings& settings,
                                                                 const char* factory,
                                                                 const rpc::Progress& uploading) {
  enterPhase(board, report::TrafficPhase::Loading);
  OPSCOPE_TRY(checkArchitecture(board, file));
  OPSCOPE_TRY_ASSIGN(const DLDevice device, remoteDeviceOf(settings));
  OPSCOPE_TRY(board.configureThreads(settings.runtime));
  std::unique_ptr<RemoteProgram> program(new RemoteProgram(board, device));
  auto name = board.upload("model", file.file.content->view(), uploading);
  if (!name) {
    return at(fmt::format("Uploading {}", file.info->fileName), std::move(name).error());
  }
  auto library = rpc::loadModule(board.client(), *name);
  if (!library) {
    base::Error error =
        at(fmt::format("The board cannot load {}", file.info->fileName), std::move(library).error());
    error.hint = fmt::format("The file is built for {} by TVM {}, the server is {}.", file.info->architecture,
                             file.info->tvmVersion.empty() ? "of an unknown version" : file.info->tvmVersion,
                             board.serverWords());
    return error;
  }
  program->m_fileName = *std::move(name);
  program->m_library = std::move(*library);
  OPSCOPE_TRY(program->initialise(settings, factory));
  return program;
}

base::Result<> RemoteProgram::initialise(const RunSettings& settings, const char* factory) {
  rpc::Client& client = m_board.client();
  OPSCOPE_TRY_ASSIGN(const rpc::RemoteFunction make, rpc::moduleFunction(client, m_library.get(), factory));
  if (make.empty()) {
    return base::Error{base::ErrorCode::MissingFunction,
                       fmt::format("The board's server has no {} for the executable.", factory),
                       fmt::format("It is {}.", m_board.serverWords()),
                       "Only executables of TVM's Relax virtual machine can be run."};
  }
  OPSCOPE_TRY_ASSIGN(rpc::CallResult made, make({}));
  OPSCOPE_TRY_ASSIGN(m_machine, rpc::moduleOf(client, std::move(made), "the board's virtual machine"));
  OPSCOPE_TRY_ASSIGN(const rpc::FunctionHandle init, function("vm_initialization"));
  if (auto done = client.call(init, initialValues(m_device, settings.runtime.allocator)); !done) {
    return at("The board's virtual machine cannot be made", std::move(done).error());
  }
  return {};
}

base::Result<rpc::FunctionHandle> RemoteProgram::function(const std::string& name) {
  if (const auto known = m_functions.find(name); known != m_functions.end()) {
    return known->second.get();
  }
  OPSCOPE_TRY_ASSIGN(rpc::RemoteFunction found, rpc::moduleFunction(m_board.client(), m_machine.get(), name));
  if (found.empty()) {
    return base::Error{base::ErrorCode::MissingFunction,
                       fmt::format("The board's virtual machine has no function {}.", name),
                       fmt::format("Its server is {}.", m_board.serverWords()), ""};
  }
  return m_functions.emplace(name, std::move(found)).first->second.get();
}

base::Result<> RemoteProgram::setInput(const std::string& name, std::span<const rpc::Value> arguments) {
  OPSCOPE_TRY_ASSIGN(const rpc::FunctionHandle set, function("set_input"));
  std::vector<rpc::Value> values = {name};
  values.insert(values.end(), arguments.begin(), arguments.end());
  OPSCOPE_TRY(m_board.client().call(set, values));
  return {};
}

base::Result<RemoteValue> RemoteProgram::output(const std::string& name) {
  std::vector<rpc::Value> path = {name};
  return outputAt(name, path);
}

base::Result<RemoteValue> RemoteProgram::outputAt(const std::string& name, std::vector<rpc::Value>& path) {
  constexpr std::size_t kDeepest = 64;
  constexpr std::int64_t kMostMembers = 100'000;
  rpc::Client& client = m_board.client();
  OPSCOPE_TRY_ASSIGN(const rpc::FunctionHandle arity, function("get_output_arity"));
  OPSCOPE_TRY_ASSIGN(const rpc::CallResult told, client.call(arity, path));
  OPSCOPE_TRY_ASSIGN(const std::int64_t count, rpc::intOf(client, told, "get_output_arity"));
  if (count < 0) {
    OPSCOPE_TRY_ASSIGN(const rpc::FunctionHandle get, function("get_output"));
    OPSCOPE_TRY_ASSIGN(rpc::CallResult result, client.call(get, path));
    return m_values.take(std::move(result));
  }
  if (path.size() > kDeepest || count > kMostMembers) {
    return base::Error{base::ErrorCode::Format, fmt::format("The result of {} is too large to be one.", name),
                       fmt::format("The board tells of {} members, {} deep.", count, path.size()), ""};
  }
  RemoteValue tuple;
  tuple.isTuple = true;
  for (std::int64_t i = 0; i < count; ++i) {
    path.emplace_back(i);
    OPSCOPE_TRY_ASSIGN(RemoteValue member, outputAt(name, path));
    tuple.members.push_back(std::move(member));
    path.pop_back();
  }
  return tuple;
}

}  // namespace opscope::session
