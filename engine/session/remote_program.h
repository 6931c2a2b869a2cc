// SPDX-License-Identifier: Apache-2.0
// An executable on a board: uploaded, loaded, with a virtual machine of the server's, and its calls run step
// by step. On the worker; the board outlives it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/rpc/remote_calls.h"
#include "engine/session/call_sequence.h"
#include "engine/session/opened_executable.h"
#include "engine/session/outputs.h"
#include "engine/session/remote_board.h"
#include "engine/session/remote_values.h"
#include "engine/session/requests.h"

namespace opscope::session {

/// How a step's function is called: plainly, or through what records it.
class RemoteDriver {
 public:
  virtual ~RemoteDriver() = default;
  /// Calls `function` as step `step`. Errors: those of the session; Remote for what it raised.
  virtual base::Result<rpc::CallResult> call(std::uint32_t step, rpc::FunctionHandle function,
                                             std::span<const rpc::Value> arguments) = 0;
};

/// Calls it, and adds up the time on this computer's clock.
class PlainDriver final : public RemoteDriver {
 public:
  explicit PlainDriver(rpc::Client& client) : m_client(client) {}
  base::Result<rpc::CallResult> call(std::uint32_t step, rpc::FunctionHandle function,
                                     std::span<const rpc::Value> arguments) override;
  double totalNs() const { return m_totalNs; }

 private:
  rpc::Client& m_client;
  double m_totalNs = 0;
};

/// Calls another function of the board's with the step's number and function before the arguments.
class StepDriver final : public RemoteDriver {
 public:
  StepDriver(rpc::Client& client, rpc::FunctionHandle step) : m_client(client), m_step(step) {}
  base::Result<rpc::CallResult> call(std::uint32_t step, rpc::FunctionHandle function,
                                     std::span<const rpc::Value> arguments) override;

 private:
  rpc::Client& m_client;
  rpc::FunctionHandle m_step;
};

/// A board's machine, whose factory is one of the executable's functions.
struct RemoteMachine {
  static constexpr const char* kPlain = "vm_load_executable";
  static constexpr const char* kProfiler = "vm_profiler_load_executable";
};

class RemoteProgram {
 public:
  /// Uploads and loads the executable and makes a machine on the device that `settings` name. Errors:
  /// Unsupported when it is built for another architecture than the board's; those of the session, told with
  /// what failed.
  static base::Result<std::unique_ptr<RemoteProgram>> load(RemoteBoard& board, const OpenedExecutable& file,
                                                           const RunSettings& settings, const char* factory,
                                                           const rpc::Progress& uploading);

  RemoteBoard& board() { return m_board; }
  rpc::ModuleHandle machine() const { return m_machine.get(); }
  rpc::ModuleHandle library() const { return m_library.get(); }
  /// The name of the library's file on the board.
  const std::string& fileName() const { return m_fileName; }
  DLDevice device() const { return m_device; }
  RemoteValues& values() { return m_values; }

  /// A function of the machine. Errors: MissingFunction naming it; those of the session.
  base::Result<rpc::FunctionHandle> function(const std::string& name);

  /// Gives a function of the executable its inputs. Errors: those of the session.
  base::Result<> setInput(const std::string& function, std::span<const rpc::Value> arguments);
  /// What the last run of the function gave.
  base::Result<RemoteValue> output(const std::string& function);

 private:
  RemoteProgram(RemoteBoard& board, DLDevice device)
      : m_board(board), m_device(device), m_values(board.client(), device) {}
  base::Result<> initialise(const RunSettings& settings, const char* factory);
  base::Result<RemoteValue> outputAt(const std::string& function, std::vector<rpc::Value>& path);

  RemoteBoard& m_board;
  DLDevice m_device;
  RemoteValues m_values;
  std::string m_fileName;
  rpc::RemoteModule m_library;
  rpc::RemoteModule m_machine;
  std::map<std::string, rpc::RemoteFunction> m_functions;
};

/// The steps of a CallSequence, run on a board. The program outlives it.
class RemoteSequence {
 public:
  /// Copies the inputs over. `sequence` is not kept but for its steps, which stay the caller's.
  static base::Result<std::unique_ptr<RemoteSequence>> prepare(RemoteProgram& program,
                                                               const CallSequence& sequence);

  /// All steps once, from the first; results of the time before are freed first. Errors: those of the
  /// session, told with the step's name.
  base::Result<> runOnce(RemoteDriver& driver);
  /// The results of the last run that are to be saved.
  base::Result<Outputs> outputs();

  /// Makes the step's inputs the machine's, where they are not; for single functions.
  base::Result<> giveInputs(std::size_t step);
  const CallSequence& sequence() const { return m_sequence; }
  /// The arguments of a step whose values are known before anything ran.
  const std::vector<rpc::Value>& arguments(std::size_t step) const { return m_steps[step].arguments; }

 private:
  struct Step {
    std::vector<rpc::Value> arguments;
    std::deque<RemoteValue> made;      ///< for arguments known before anything ran
    std::deque<RemoteValue> madeLate;  ///< for those that need results, of this repeat
  };

  RemoteSequence(RemoteProgram& program, const CallSequence& sequence)
      : m_program(program), m_sequence(sequence) {}
  base::Result<> runStep(std::uint32_t step, RemoteDriver& driver);
  bool needsResultOf(std::size_t step) const;

  RemoteProgram& m_program;
  const CallSequence& m_sequence;
  std::deque<Step> m_steps;
  std::deque<RemoteValue> m_results;
  std::map<std::string, std::size_t> m_inputsOf;  ///< function to the step whose inputs it has
  std::vector<rpc::RemoteFunction> m_globals;
};

}  // namespace opscope::session
