// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/synthetic_run.h"

#include <array>
#include <random>

#include "engine/report/run_report.h"

namespace opscope::ui::testing {
namespace {

constexpr std::array kStems = {"conv2d",
                               "batch_norm",
                               "fused_conv2d_add_relu",
                               "fused_expand_dims_concatenate",
                               "fused_relu_reshape_transpose",
                               "fused_matmul_add",
                               "max_pool2d",
                               "sum",
                               "softmax",
                               "vm.builtin.reshape",
                               "custom_op"};

std::string nameOf(std::uint32_t group, bool longNames) {
  std::string name = kStems[group % kStems.size()];
  if (longNames) {
    for (int i = 0; i < 12; ++i) name += "_multiply" + std::to_string(i) + "_add" + std::to_string(group);
  }
  const std::uint32_t number = group / std::uint32_t(kStems.size());
  return number == 0 ? name : name + std::to_string(number);
}

std::string shapesOf(std::uint32_t group) {
  const std::string channels = std::to_string(16 * (1 + group % 34));
  return "float32[1, " + channels + ", 14, 14], float32[" + channels + ", 68, 1, 1], float32[1, " + channels +
         ", 14, 14]";
}

void addCall(report::Run& run, std::uint32_t index, std::uint32_t group, std::mt19937& random) {
  report::Call call;
  call.name = group;
  call.shapes = group;
  call.device = 0;
  call.instruction = index * 3 + 2;
  call.firstSample = run.ownNs.size();
  call.sampleCount = run.repeats;
  call.inReport = true;
  call.kernel = run.names[group].rfind("vm.", 0) != 0;
  const double base = 4.0e6 / (1.0 + group * group * 0.6) + 900;
  std::uniform_real_distribution<double> spread(0.96, 1.06);
  for (std::uint32_t repeat = 0; repeat < run.repeats; ++repeat) {
    const double ns = base * spread(random);
    run.ownNs.push_back(ns);
    run.inclusiveNs.push_back(ns);
    run.sampleRepeat.push_back(repeat);
  }
  run.calls.push_back(call);
}

void addSpans(report::Run& run) {
  run.totals.push_back({"cpu0", {}});
  for (std::uint32_t repeat = 0; repeat < run.repeats; ++repeat) {
    double now = 1500;
    for (std::uint32_t i = 0; i < run.calls.size(); ++i) {
      const double ns = run.ownNs[run.calls[i].firstSample + repeat];
      run.spans.push_back({now, ns, i, repeat});
      now += ns + 900;
    }
    run.totals[0].totalNs.push_back(now);
  }
}

vm::Parameter tensor(const char* name, std::vector<vm::Dimension> dimensions) {
  vm::Parameter parameter;
  parameter.name = name;
  parameter.kind = vm::ParameterKind::Tensor;
  parameter.typeKnown = true;
  parameter.type = {2, 32, 1};
  parameter.rankKnown = true;
  parameter.dimensions = std::move(dimensions);
  return parameter;
}

}  // namespace

report::Document syntheticDocument(const SyntheticOptions& options) {
  auto run = std::make_shared<report::Run>();
  run->executablePath = "/models/shufflenet.so";
  run->executableHash = "00112233445566778899aabbccddeeff";
  run->function = "main";
  run->startedAt = "2026-11-24T14:02:11Z";
  run->inputs = "data_0 float32 [1, 3, 224, 224] random:0";
  run->warmup = 3;
  run->repeats = options.repeats;
  run->repeatsWanted = options.repeatsWanted;
  run->devices = {"cpu0"};
  run->steps = {"main"};
  for (std::uint32_t group = 0; group < options.groups; ++group) {
    run->names.push_back(nameOf(group, options.longNames));
    run->shapes.push_back(shapesOf(group));
  }
  std::mt19937 random(7);
  for (std::uint32_t i = 0; i < options.calls; ++i) {
    const std::uint32_t group =
        i < options.groups ? i : std::min(random() % options.groups, random() % options.groups);
    addCall(*run, i, group, random);
  }
  addSpans(*run);
  run->environment = {{"CPU", "AMD EPYC, 2 cores"},
                      {"Threads", "2"},
                      {"Timer", "time stamp counter"},
                      {"Executable", "TVM 0.27, x86-64"}};
  run->warnings = {
      {"The CPU governor could not be read", "The clock may have changed. Its effect shows as noise."}};
  run->configuration.set("Repeats", report::Count{std::int64_t(options.repeats)});
  return report::makeDocument(run);
}

std::shared_ptr<const session::ExecutableInfo> syntheticExecutable() {
  auto info = std::make_shared<session::ExecutableInfo>();
  info->path = "/models/shufflenet.so";
  info->fileName = "shufflenet.so";
  info->hash = "00112233445566778899aabbccddeeff";
  info->architecture = "x86-64";
  info->tvmVersion = "0.27";
  session::FunctionInfo function;
  function.name = "main";
  function.mode = "bytecode";
  function.instructions = 650;
  function.kernelCalls = 164;
  function.builtinCalls = 318;
  function.signature.function = "main";
  function.signature.parameters = {
      tensor("x", {{-1, "n", false}, {3, "", false}, {224, "", false}, {224, "", false}})};
  function.signature.parameters[0].annotation = "R.Tensor((n, 3, 224, 224), dtype=\"float32\")";
  function.signature.freeDimensions = {"n"};
  function.signature.resultKnown = true;
  function.signature.result = tensor("result", {{-1, "n", false}, {1000, "", false}});
  info->functions.push_back(function);
  for (std::uint32_t group = 0; group < 46; ++group)
    info->kernels.push_back({nameOf(group, false), "", 2, nameOf(group, false)});
  info->constantCount = 321;
  info->constantBytes = 5 << 20;
  for (int i = 0; i < 321; ++i) info->constants.push_back("float32 [64, 3, 7, 7]");
  info->importedModules = {"library"};
  return info;
}

}  // namespace opscope::ui::testing
