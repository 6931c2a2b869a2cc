// SPDX-License-Identifier: Apache-2.0
#include "engine/code/page_access.h"

#include <sys/mman.h>
#include <unistd.h>

#include <initializer_list>

namespace opscope::code {

namespace {

std::uintptr_t pageSize() {
  return static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

bool PageAccess::set(std::uintptr_t begin, std::size_t bytes, int protection) {
  const std::uintptr_t page = pageSize();
  const std::uintptr_t first = begin & ~(page - 1);
  const std::uintptr_t end = (begin + bytes + page - 1) & ~(page - 1);
  return mprotect(reinterpret_cast<void*>(first), end - first, protection) == 0;
}

void* PageAccess::mapNear(std::uintptr_t near, std::size_t span, std::size_t bytes) {
  constexpr std::uintptr_t kReach = (std::uintptr_t{1} << 31) - (std::uintptr_t{1} << 20);
  constexpr std::uintptr_t kStep = std::uintptr_t{1} << 24;
  const std::uintptr_t page = pageSize();
  const std::uintptr_t above = (near + span + page - 1) & ~(page - 1);
  // The kernel takes the wish as a hint: what it gives elsewhere is given back.
  for (std::uintptr_t away = 0; away + span + bytes < kReach; away += kStep) {
    for (const std::uintptr_t wish : {above + away, (near & ~(page - 1)) - bytes - away}) {
      if (wish > near + span + kReach) {
        continue;  // wrapped around zero
      }
      void* const got = mmap(reinterpret_cast<void*>(wish), bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (got == MAP_FAILED) {
        return nullptr;
      }
      const auto address = reinterpret_cast<std::uintptr_t>(got);
      const std::uintptr_t low = address < near ? address : near;
      const std::uintptr_t high = address + bytes > near + span ? address + bytes : near + span;
      if (high - low < kReach) {
        return got;
      }
      munmap(got, bytes);
    }
  }
  return nullptr;
}

void PageAccess::unmap(void* begin, std::size_t bytes) {
  munmap(begin, bytes);
}

}  // namespace opscope::code
