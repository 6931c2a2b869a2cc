// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/machine_module.h"

#include <fmt/format.h>
#include <tvm/ffi/cast.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>

#include <array>
#include <climits>

#include "engine/vm/builtins/arguments.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

/// The numbers of TVM's allocator types.
runtime::AllocatorKind allocatorKind(std::int64_t type) {
  switch (type) {
    case 1:
      return runtime::AllocatorKind::Naive;
    case 2:
      return runtime::AllocatorKind::Pooled;
    default:
      raise("InternalError",
            fmt::format("vm_initialization: allocator type {} does not exist, only 1 (naive) and 2 (pooled)",
                        type));
  }
}

VirtualMachine::Options optionsOf(const Arguments& arguments) {
  if (arguments.size() % 3 != 0) {
    raise("InternalError", fmt::format("vm_initialization: takes triples of device type, device number and "
                                       "allocator type, got {} values",
                                       arguments.size()));
  }
  VirtualMachine::Options options;
  options.devices.clear();
  for (std::int32_t i = 0; i < arguments.size(); i += 3) {
    options.devices.push_back(DLDevice{static_cast<DLDeviceType>(arguments.integer(i)),
                                       static_cast<std::int32_t>(arguments.integer(i + 1))});
    options.deviceAllocators.push_back(allocatorKind(arguments.integer(i + 2)));
  }
  return options;
}

std::vector<std::int64_t> indexPath(const Arguments& arguments) {
  std::vector<std::int64_t> path;
  for (std::int32_t i = 1; i < arguments.size(); ++i) {
    path.push_back(arguments.integer(i));
  }
  return path;
}

bool flagAt(const Arguments& arguments, std::int32_t index) {
  const auto flag = arguments.at(index).try_cast<bool>();
  if (!flag.has_value()) {
    arguments.failType(index, "a bool");
  }
  return *flag;
}

}  // namespace

struct MachineModuleObj::Entry {
  const char* name;
  Method method;
};

MachineModuleObj::MachineModuleObj(ffi::Module executable) : m_executable(std::move(executable)) {
  executableOf(m_executable).data();  // what is wrong with it is told now
  imports_ = m_executable->imports();
}

Machine& MachineModuleObj::machine() {
  if (m_machine == nullptr) {
    raise("RuntimeError", "the machine has no devices yet; call vm_initialization first");
  }
  return *m_machine;
}

ffi::Optional<ffi::Function> MachineModuleObj::GetFunction(const ffi::String& name) {
  static constexpr std::array kEntries = {
      Entry{"vm_initialization", &MachineModuleObj::initialise},
      Entry{"save_function", &MachineModuleObj::saveFunction},
      Entry{"invoke_closure", &MachineModuleObj::invokeClosure},
      Entry{"invoke_stateful", &MachineModuleObj::invokeStateful},
      Entry{"set_instrument", &MachineModuleObj::setInstrument},
      Entry{"get_output_arity", &MachineModuleObj::getOutputArity},
      Entry{"get_output", &MachineModuleObj::getOutput},
      Entry{"set_input", &MachineModuleObj::setInput},
      Entry{"set_input_with_param_module", &MachineModuleObj::setInputWithParamModule},
      Entry{"get_function_arity", &MachineModuleObj::getFunctionArity},
      Entry{"get_function_param_name", &MachineModuleObj::getFunctionParamName},
  };
  for (const Entry& entry : kEntries) {
    if (name == entry.name) {
      return ffi::Function::FromPacked(
          [self = ffi::GetObjectPtr<MachineModuleObj>(this), method = entry.method](
              ffi::PackedArgs arguments, ffi::Any* result) { (self.get()->*method)(arguments, result); });
    }
  }
  return functionOfExecutable(name);
}

ffi::Optional<ffi::Function> MachineModuleObj::functionOfExecutable(const ffi::String& name) {
  const auto self = ffi::GetObjectPtr<MachineModuleObj>(this);
  if (m_machine == nullptr) {
    if (findFunction(*executable().data(), {name.data(), name.size()}) < 0) {
      return std::nullopt;
    }
    return ffi::Function::FromPacked([self, name](ffi::PackedArgs arguments, ffi::Any* result) {
      Use use(*self);
      *result = use->call(use->get({name.data(), name.size()}), arguments);
    });
  }
  const std::optional<Closure> closure = m_machine->functions().find({name.data(), name.size()});
  if (!closure.has_value()) {
    return std::nullopt;
  }
  return ffi::Function::FromPacked([self, closure](ffi::PackedArgs arguments, ffi::Any* result) {
    *result = Use(*self)->call(*closure, arguments);
  });
}

// ---- the module's functions ----

void MachineModuleObj::initialise(ffi::PackedArgs packed, ffi::Any* /*result*/) {
  if (m_uses != 0) {
    raise("RuntimeError", "vm_initialization: a function of this machine is running");
  }
  const VirtualMachine::Options options = optionsOf(Arguments("vm_initialization", packed));
  if (auto checked = Machine::checkOptions(options); !checked) {
    raiseError(checked.error());
  }
  auto machine = std::make_unique<Machine>(executable().data(), options, nullptr, executable().standIns());
  if (auto loaded = machine->load(m_executable, imports_); !loaded) {
    raiseError(loaded.error());
  }
  m_machine = std::move(machine);
}

void MachineModuleObj::saveFunction(ffi::PackedArgs packed, ffi::Any* /*result*/) {
  const Arguments arguments("save_function", packed);
  if (arguments.size() < 3) {
    raise("InternalError",
          "save_function: takes a function's name, a name to save it under, whether to "
          "return its result, and arguments");
  }
  Use(*this)->save(arguments.text(0), arguments.text(1), flagAt(arguments, 2), packed.Slice(3));
}

void MachineModuleObj::invokeClosure(ffi::PackedArgs packed, ffi::Any* result) {
  Arguments("invoke_closure", packed).requireCount(1, INT_MAX);
  *result = Use(*this)->call(packed[0], packed.Slice(1));
}

void MachineModuleObj::invokeStateful(ffi::PackedArgs packed, ffi::Any* /*result*/) {
  const Arguments arguments("invoke_stateful", packed);
  arguments.requireCount(1, 1);
  Use(*this)->invokeStateful(arguments.text(0));
}

void MachineModuleObj::setInstrument(ffi::PackedArgs packed, ffi::Any* /*result*/) {
  const Arguments arguments("set_instrument", packed);
  arguments.requireCount(1, INT_MAX);
  if (arguments.at(0) == nullptr) {
    machine().setInstrument(ffi::Function(nullptr));
    return;
  }
  if (const auto instrument = arguments.at(0).as<ffi::Function>()) {
    machine().setInstrument(*instrument);
    return;
  }
  const std::string name = arguments.text(0);
  const auto factory = ffi::Function::GetGlobal(name);
  if (!factory.has_value()) {
    raise("InternalError", fmt::format("set_instrument: no function {} is registered", name));
  }
  ffi::Any made;
  factory->CallPacked(packed.Slice(1), &made);
  machine().setInstrument(made.cast<ffi::Function>());
}

void MachineModuleObj::getOutputArity(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("get_output_arity", packed);
  arguments.requireCount(1, INT_MAX);
  *result = Use(*this)->outputArity(arguments.text(0), indexPath(arguments));
}

void MachineModuleObj::getOutput(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("get_output", packed);
  arguments.requireCount(1, INT_MAX);
  *result = Use(*this)->output(arguments.text(0), indexPath(arguments));
}

void MachineModuleObj::setInput(ffi::PackedArgs packed, ffi::Any* /*result*/) {
  const Arguments arguments("set_input", packed);
  arguments.requireCount(1, INT_MAX);
  Use(*this)->setInput(arguments.text(0), packed.Slice(1), MachineFunctions::LastInput::Value);
}

void MachineModuleObj::setInputWithParamModule(ffi::PackedArgs packed, ffi::Any* /*result*/) {
  const Arguments arguments("set_input_with_param_module", packed);
  arguments.requireCount(1, INT_MAX);
  Use(*this)->setInput(arguments.text(0), packed.Slice(1), MachineFunctions::LastInput::ParamModule);
}

void MachineModuleObj::getFunctionArity(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("get_function_arity", packed);
  arguments.requireCount(1, 1);
  *result = Use(*this)->functionArity(arguments.text(0));
}

void MachineModuleObj::getFunctionParamName(ffi::PackedArgs packed, ffi::Any* result) {
  const Arguments arguments("get_function_param_name", packed);
  arguments.requireCount(2, 2);
  *result = ffi::String(Use(*this)->parameterName(arguments.text(0), arguments.integer(1)));
}

namespace {

MachineModuleObj& machineObjectOf(const ffi::Module& module) {
  // The profiler's machine is one of these, with its own type.
  auto* const object = dynamic_cast<MachineModuleObj*>(module.operator->());
  if (object == nullptr) {
    raise("TypeError", fmt::format("expected a machine (relax.VirtualMachine), got a module of kind {}",
                                   module.defined() ? module->kind() : "none"));
  }
  return *object;
}

}  // namespace

MachineLease::MachineLease(ffi::Module module)
    : m_module(std::move(module)), m_object(machineObjectOf(m_module)) {
  m_object.machine();
  ++m_object.m_uses;
}

MachineLease::~MachineLease() {
  --m_object.m_uses;
}

ffi::Module makeMachineModule(const ffi::Module& executable) {
  return ffi::Module(ffi::make_object<MachineModuleObj>(executable));
}

}  // namespace opscope::vm
