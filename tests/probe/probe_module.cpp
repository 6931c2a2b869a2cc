// SPDX-License-Identifier: Apache-2.0
#include "tests/probe/probe_module.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "engine/runtime/elf_image.h"
#include "tests/vm/module_calls.h"

namespace opscope::session::test {

namespace ffi = tvm::ffi;

const ProbeBytes& probeFor(std::string_view architecture) {
  for (const ProbeBytes& probe : probeBytes()) {
    if (probe.architecture == architecture) {
      return probe;
    }
  }
  throw std::runtime_error("no probe for " + std::string(architecture));
}

ffi::Module loadProbe() {
  const auto path = std::filesystem::temp_directory_path() / "opscope_probe_test.so";
  const std::string_view library = probeFor(runtime::hostArchitecture()).library;
  std::ofstream(path, std::ios::binary).write(library.data(), static_cast<std::streamsize>(library.size()));
  const ffi::Module module = ffi::Module::LoadFromFile(path.string());
  std::filesystem::remove(path);
  return module;
}

Probed reportOf(const ffi::Module& probe) {
  Probed probed;
  probed.bytes = vm::test::callModule(probe, "opscope_probe_report").cast<ffi::Bytes>();
  auto report = readProbeReport(probed.bytes);
  EXPECT_TRUE(report) << report.error().message << report.error().detail;
  probed.report = *std::move(report);
  return probed;
}

}  // namespace opscope::session::test
