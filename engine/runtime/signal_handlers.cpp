// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/signal_handlers.h"

#include <dlfcn.h>
#include <signal.h>

#include <string_view>

namespace opscope::runtime {

bool restoreSignalHandlers() {
  struct sigaction current {};
  if (sigaction(SIGSEGV, nullptr, &current) != 0 || (current.sa_flags & SA_SIGINFO) != 0 ||
      current.sa_handler == SIG_DFL || current.sa_handler == SIG_IGN) {
    return false;
  }
  Dl_info owner{};
  if (dladdr(reinterpret_cast<void*>(current.sa_handler), &owner) == 0 || owner.dli_fname == nullptr ||
      std::string_view(owner.dli_fname).find("libtvm_ffi") == std::string_view::npos) {
    return false;
  }
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  return sigaction(SIGSEGV, &standard, nullptr) == 0;
}

}  // namespace opscope::runtime
