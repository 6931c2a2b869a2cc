// SPDX-License-Identifier: Apache-2.0
#include "tests/profile/call_lists.h"

#include <unordered_set>

#include "engine/profile/shape_table.h"
#include "tests/vm/case_runner.h"

namespace opscope::profile::test {

namespace {

class Watcher final : public vm::CallObserver {
 public:
  struct Call {
    vm::CallSite site;
    std::uint32_t shapes = base::kNoShapes;
  };

  void beginCall(const vm::CallSite& site, const TVMFFIAny* args, std::int32_t count) override {
    calls.push_back({site, shapes.indexOf(site.instruction, args, count)});
    m_open.push_back(site);
  }
  void endCall(const vm::CallSite& site, const TVMFFIAny& /*result*/) override {
    if (m_open.empty() || m_open.back().instruction != site.instruction ||
        m_open.back().depth != site.depth) {
      ++unpaired;
    } else {
      m_open.pop_back();
    }
  }
  std::size_t open() const { return m_open.size() + unpaired; }

  std::vector<Call> calls;
  ShapeTable shapes{0};
  std::size_t unpaired = 0;

 private:
  std::vector<vm::CallSite> m_open;
};

}  // namespace

CallList callsOf(vm::VirtualMachine& machine, const std::string& name,
                 const CompiledCalls::Options& options) {
  Watcher watcher;
  CallList list;
  {
    const CompiledCalls compiled(machine, watcher, nullptr, options);
    machine.setObserver(&watcher);
    list.problem = vm::test::runAndCompare(machine, name);
    machine.setObserver(nullptr);
    list.facts = compiled.facts();
  }
  const auto& functions = machine.executable().functions;
  for (const Watcher::Call& call : watcher.calls) {
    const std::uint32_t number = call.site.function;
    list.calls.push_back(
        {number < functions.size() ? functions[number].name : list.facts.names.at(number - functions.size()),
         call.shapes == base::kNoShapes ? "" : watcher.shapes.text(call.shapes), call.site.depth,
         call.site.instruction});
    if (number < functions.size() && functions[number].kind != vm::FunctionKind::Packed) {
      list.calls.back().name = "vm.builtin.invoke_closure";
    }
  }
  list.unended = watcher.open();
  return list;
}

std::vector<std::string> comparable(const CallList& list) {
  static const std::unordered_set<std::string> kLeftOut = {"vm.builtin.copy", "vm.builtin.null_value"};
  std::vector<std::string> texts;
  for (const SeenCall& call : list.calls) {
    if (!kLeftOut.contains(call.name)) {
      texts.push_back(call.name + " " + call.shapes);
    }
  }
  return texts;
}

}  // namespace opscope::profile::test
