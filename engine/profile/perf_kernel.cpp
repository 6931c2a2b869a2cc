// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/perf_kernel.h"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

namespace opscope::profile {

int SystemPerfKernel::open(const perf_event_attr& attributes, int leader) {
  perf_event_attr copy = attributes;
  constexpr int kThisThread = 0;
  constexpr int kAnyCore = -1;
  const long counter = syscall(SYS_perf_event_open, &copy, kThisThread, kAnyCore, leader,
                               static_cast<unsigned long>(PERF_FLAG_FD_CLOEXEC));
  return counter < 0 ? -errno : static_cast<int>(counter);
}

bool SystemPerfKernel::read(int counter, CounterReading& reading) {
  std::array<std::uint64_t, 3> words{};
  if (::read(counter, words.data(), sizeof words) != static_cast<ssize_t>(sizeof words)) {
    return false;
  }
  reading = {words[0], words[1], words[2]};
  return true;
}

void SystemPerfKernel::close(int counter) {
  ::close(counter);
}

namespace {

/// The value after "name:" in a file of lines; empty when there is none.
std::string valueIn(const char* path, std::string_view name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name)) {
      return line.substr(name.size());
    }
  }
  return {};
}

base::Error refusal(const PerfEvent& event, std::string detail, std::string hint) {
  return {base::ErrorCode::Unsupported, fmt::format("The event \"{}\" cannot be counted here.", event.name),
          std::move(detail), std::move(hint)};
}

/// The largest setting that lets anyone count such an event.
int paranoidFor(const PerfEvent& event) {
  constexpr int kUserOnly = 2;
  constexpr int kKernelToo = 1;
  return event.attributes.exclude_kernel != 0 ? kUserOnly : kKernelToo;
}

base::Error forbidden(const PerfEvent& event, int code, const PerfPolicy& policy) {
  const int wanted = paranoidFor(event);
  if (policy.paranoid && *policy.paranoid > wanted) {
    return refusal(
        event,
        fmt::format("The kernel forbids it: kernel.perf_event_paranoid is {}, at most {} is needed.",
                    *policy.paranoid, wanted),
        fmt::format("sudo sysctl kernel.perf_event_paranoid={}, or give this program the right: "
                    "sudo setcap cap_perfmon=ep PROGRAM",
                    wanted));
  }
  if (policy.filtersCalls) {
    return refusal(event, "A filter of system calls (seccomp), as containers have, forbids perf_event_open.",
                   "Start the container with --cap-add PERFMON, or with --security-opt seccomp=FILE and a "
                   "profile that allows perf_event_open.");
  }
  return refusal(event, fmt::format("The kernel forbids it: {}.", std::strerror(code)),
                 "A security module may be the reason; CAP_PERFMON is the right that is needed.");
}

base::Error notHere(const PerfEvent& event, int code, const PerfPolicy& policy) {
  if (!event.isHardware) {
    return refusal(event, fmt::format("This kernel does not count it: {}.", std::strerror(code)), "");
  }
  constexpr const char* kOthers = "task-clock, page-faults and context-switches are counted by the kernel.";
  if (policy.isVirtual) {
    return refusal(
        event, "This is a virtual machine, and its host gives it no counters of the processor.",
        fmt::format("Measure on the machine itself, or have the host turn on the virtual PMU. {}", kOthers));
  }
  return refusal(event,
                 fmt::format("This processor, or the kernel's driver for it, does not count it: {}.",
                             std::strerror(code)),
                 kOthers);
}

}  // namespace

PerfPolicy readPerfPolicy() {
  PerfPolicy policy;
  if (int paranoid = 0; std::ifstream("/proc/sys/kernel/perf_event_paranoid") >> paranoid) {
    policy.paranoid = paranoid;
  }
  const std::string mode = valueIn("/proc/self/status", "Seccomp:");
  policy.filtersCalls = mode.find('2') != std::string::npos;
  policy.isVirtual = valueIn("/proc/cpuinfo", "flags").find(" hypervisor") != std::string::npos;
  return policy;
}

base::Error explainRefusal(const PerfEvent& event, int code, const PerfPolicy& policy) {
  switch (code) {
    case EACCES:
    case EPERM:
      return forbidden(event, code, policy);
    case ENOSYS:
      if (policy.paranoid && policy.filtersCalls) {
        return forbidden(event, code, {std::nullopt, true, policy.isVirtual});
      }
      return refusal(event, "This kernel was built without perf events.", "");
    case ENOENT:
    case ENODEV:
    case ENXIO:
    case EOPNOTSUPP:
      return notHere(event, code, policy);
    case EINVAL:
      return refusal(event, "The kernel does not take it with these attributes.", "");
    case EMFILE:
      return refusal(event, "Too many files are open.", "ulimit -n tells and sets how many may be.");
    default:
      return refusal(event, fmt::format("The kernel says: {}.", std::strerror(code)), "");
  }
}

}  // namespace opscope::profile
