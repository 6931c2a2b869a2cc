// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/virtual_machine.h"

#include <fmt/format.h>

#include "engine/runtime/ffi_error.h"
#include "engine/runtime/run_context.h"
#include "engine/vm/executable_module.h"
#include "engine/vm/machine.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

base::Result<std::unique_ptr<VirtualMachine>> VirtualMachine::create(const ExecutableFile& file,
                                                                     const Options& options,
                                                                     runtime::RunContext& context) {
  return StatefulMachine::create(file, options, context);
}

base::Result<std::unique_ptr<StatefulMachine>> StatefulMachine::create(const ExecutableFile& file,
                                                                       const Options& options,
                                                                       runtime::RunContext& context) {
  OPSCOPE_TRY(Machine::checkOptions(options));
  const runtime::RunContextScope scope(context);
  OPSCOPE_TRY_ASSIGN(ffi::Module module, loadExecutableModule(file));
  const std::string name = file.path.string();
  return runtime::guarded(
      base::ErrorCode::Internal, name, [&]() -> base::Result<std::unique_ptr<StatefulMachine>> {
        auto machine =
            std::make_unique<Machine>(file.data, options, &context, executableOf(module).standIns());
        const ffi::Array<ffi::Any> imports = module->imports();
        auto done = machine->load(std::move(module), imports);
        if (!done) {
          base::Error error = std::move(done).error();
          error.message = fmt::format("{}: {}", name, error.message);
          return error;
        }
        return std::unique_ptr<StatefulMachine>(std::move(machine));
      });
}

}  // namespace opscope::vm
