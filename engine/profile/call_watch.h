// SPDX-License-Identifier: Apache-2.0
// Shows the tensors of every call to consumers: a dump, a check, a comparison. Sits on a machine's instrument
// and observer while it lives. Made, used and destroyed on the machine's thread; the consumers outlive it.
// What is shown is valid during the callback only. Behaviour: seed 000, the instrument of RunInstrCall;
// calls inside compiled functions are shown too, which TVM's instrument does not see.
#pragma once

#include <tvm/ffi/any.h>
#include <tvm/ffi/function.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "engine/base/call_kinds.h"
#include "engine/base/result.h"
#include "engine/profile/compiled_calls.h"
#include "engine/vm/call_observer.h"
#include "engine/vm/stateful_machine.h"

namespace opscope::profile {

using base::CallKind;

struct WatchedTensor {
  std::string place;  ///< "arg0", "arg1/2" in a tuple, "ret", "ret/0"
  const DLTensor* tensor = nullptr;
  bool isOutput = false;   ///< the call writes or returns it
  bool isInPlace = false;  ///< and what stood there before was a value too
};

struct WatchedCall {
  std::uint64_t sequence = 0;  ///< counts all calls since the watch began, from 0, by their begin
  std::string_view name;
  CallKind kind = CallKind::Kernel;
  std::string_view function;           ///< that makes the call; after the call only
  std::uint32_t instruction = 0;       ///< its index in the executable; after the call only
  std::vector<WatchedTensor> tensors;  ///< arguments, then results
};

class CallConsumer {
 public:
  virtual ~CallConsumer() = default;
  /// Before the call: its arguments. An error fails the call.
  virtual base::Result<> beforeCall(const WatchedCall& call);
  /// After it: arguments and results. Not called for calls that failed. An error fails the call.
  virtual base::Result<> afterCall(const WatchedCall& call) = 0;
};

class CallWatch final : private vm::CallObserver, private CompiledCallHook {
 public:
  CallWatch(vm::StatefulMachine& machine, std::vector<CallConsumer*> consumers);
  ~CallWatch() override;
  CallWatch(const CallWatch&) = delete;
  CallWatch& operator=(const CallWatch&) = delete;

  /// The error of a consumer that ended the run; the machine tells it in words of its own.
  const std::optional<base::Error>& error() const { return m_error; }
  /// Calls that were begun.
  std::uint64_t callCount() const { return m_nextSequence; }

 private:
  struct OpenCall {
    std::uint64_t sequence = 0;
    vm::CallSite site;
    std::string function;       // that makes it, where the instruction does not tell
    bool isPlaced = false;      ///< `site` is known
    std::vector<bool> written;  ///< by argument
    bool inPlace = false;
  };

  void beginCall(const vm::CallSite& site, const TVMFFIAny* args, std::int32_t count) override;
  void endCall(const vm::CallSite& site, const TVMFFIAny& result) override;
  void beforeCall(std::string_view name, const TVMFFIAny* args, std::int32_t count) override;
  void afterCall(std::string_view name, const TVMFFIAny& result, const TVMFFIAny* args,
                 std::int32_t count) override;
  void instrument(tvm::ffi::PackedArgs packed);
  void before(std::string_view name, CallKind kind, tvm::ffi::PackedArgs arguments);
  void after(std::string_view name, CallKind kind, tvm::ffi::AnyView result, tvm::ffi::PackedArgs arguments);
  void findWritten(OpenCall& call, CallKind kind, tvm::ffi::PackedArgs arguments) const;
  WatchedCall describe(const OpenCall& call, std::string_view name, CallKind kind,
                       tvm::ffi::PackedArgs arguments) const;
  void keepOrThrow(base::Result<> outcome);
  CallKind kindOf(std::string_view name) const;

  vm::StatefulMachine& m_machine;
  std::vector<CallConsumer*> m_consumers;
  std::unordered_set<std::string_view> m_functions;  // of the executable, not packed ones
  std::unordered_set<const void*> m_unwritten;  // tensors that were allocated and that no call has had yet
  std::vector<OpenCall> m_open;
  std::uint64_t m_nextSequence = 0;
  std::optional<base::Error> m_error;
  std::optional<CompiledCalls> m_compiledCalls;
};

/// The function of bytecode that the instruction is in; empty when none is. A view into `data`.
std::string_view functionAround(const vm::ExecutableData& data, std::uint32_t instruction);

/// The elements of a tensor in C order: where they stand when it is compact, else copied to `scratch`.
/// Errors: as runtime::copyTensor.
base::Result<std::span<const std::byte>> compactBytes(const DLTensor& tensor,
                                                      std::vector<std::byte>& scratch);

/// "float32 [1, 16]".
std::string describeTensor(const DLTensor& tensor);

/// "[0, 5]" for the element number `index` in C order of a tensor of this shape; "" when it has none.
std::string positionText(const DLTensor& tensor, std::uint64_t index);

}  // namespace opscope::profile
