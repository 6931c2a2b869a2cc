// SPDX-License-Identifier: Apache-2.0
// A run on a board with its traffic, by hand: two repeats of 1000 ns, 5000 ns apart, known to 200 ns.
#pragma once

#include "engine/report/run.h"
#include "engine/report/traffic.h"
#include "tests/report/sample_run.h"

namespace opscope::report {

inline TrafficTrack handMadeTraffic(std::uint32_t repeats) {
  TrafficTrack track;
  track.names = {"connect", "tvm.rpc.server.upload net.so", "CopyToRemote", "step main", "FreeHandle", "end"};
  track.events = {{0, 1000, 24, 40, 0, 0, kNone, TrafficKind::Open, TrafficPhase::Opening, false},
                  {2000, 50000, 1048576, 44, 1, 1, kNone, TrafficKind::Upload, TrafficPhase::Loading, false},
                  {60000, 9000, 4096, 16, 1, 2, kNone, TrafficKind::CopyTo, TrafficPhase::Inputs, false},
                  {65000, 6000, 60, 40, 3, 4, kNone, TrafficKind::Free, TrafficPhase::Inputs, false}};
  for (std::uint32_t repeat = 0; repeat < repeats; ++repeat) {
    const double start = 80000 + repeat * 1e9;
    track.events.push_back(
        {start, 1400, 80, 30, 1, 3, repeat, TrafficKind::Call, TrafficPhase::Repeat, repeat == 1});
    track.repeats.push_back({start, start + 200, 200});
  }
  track.events.push_back({80000 + repeats * 1e9, 700, 60, 2000, 1, 5, repeats == 0 ? kNone : repeats - 1,
                          TrafficKind::Call, TrafficPhase::Records, false});
  track.notKept = 3;
  for (const TrafficEvent& event : track.events) {
    track.requests += event.requests;
    track.bytesOut += event.bytesOut;
    track.bytesIn += event.bytesIn;
  }
  track.requests += track.notKept;
  track.wallNs = 90000 + repeats * 1e9;
  track.transferNs = 59700;
  return track;
}

inline Run remoteRun() {
  Run run = sampleRun();
  run.target = "rpc://10.0.0.7:9090";
  run.remote = RemoteFacts{"recorder", "Recorded there.", {{"Board", "10.0.0.7:9090"}}};
  run.traffic = handMadeTraffic(run.repeats);
  return run;
}

}  // namespace opscope::report
