// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/pfm_names.h"

#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>

namespace opscope::profile {

std::optional<PfmEncoding> encodePfmEvent(const std::string& name, std::string& problem) {
  int code = pfm_initialize();
  perf_event_attr attributes{};
  if (code == PFM_SUCCESS) {
    pfm_perf_encode_arg_t wanted{};
    wanted.attr = &attributes;
    wanted.size = sizeof wanted;
    code = pfm_get_os_event_encoding(name.c_str(), PFM_PLM3, PFM_OS_PERF_EVENT, &wanted);
  }
  if (code != PFM_SUCCESS) {
    problem = pfm_strerror(code);
    return std::nullopt;
  }
  return PfmEncoding{attributes.type,
                     attributes.config,
                     attributes.config1,
                     attributes.config2,
                     attributes.exclude_user != 0,
                     attributes.exclude_kernel != 0,
                     attributes.exclude_hv != 0};
}

std::vector<std::string> pfmProcessorEvents() {
  std::vector<std::string> names;
  if (pfm_initialize() != PFM_SUCCESS) {
    return names;
  }
  for (int unit = PFM_PMU_NONE + 1; unit < PFM_PMU_MAX; ++unit) {
    pfm_pmu_info_t pmu{};
    pmu.size = sizeof pmu;
    if (pfm_get_pmu_info(static_cast<pfm_pmu_t>(unit), &pmu) != PFM_SUCCESS || pmu.is_present == 0 ||
        pmu.type != PFM_PMU_TYPE_CORE) {
      continue;
    }
    for (int index = pmu.first_event; index != -1; index = pfm_get_event_next(index)) {
      pfm_event_info_t info{};
      info.size = sizeof info;
      if (pfm_get_event_info(index, PFM_OS_PERF_EVENT, &info) == PFM_SUCCESS) {
        names.emplace_back(info.name);
      }
    }
  }
  return names;
}

}  // namespace opscope::profile
