// SPDX-License-Identifier: Apache-2.0
#include "engine/report/overhead_json.h"

#include "engine/report/field_reader.h"
#include "engine/report/json_columns.h"

namespace opscope::report {

namespace {

class OverheadReader : FieldReader {
 public:
  OverheadReader(const JsonFile& file, const JsonPlace& place) : FieldReader(file), m_place(place) {}

  Result<Overhead> read(JsonElement element, std::uint32_t repeats) {
    OPSCOPE_TRY_ASSIGN(const object fields, m_file.object(element, m_place));
    Overhead overhead;
    OPSCOPE_TRY_ASSIGN(overhead.calls, jsonNumber(m_file, fields, "calls", m_place, 0));
    OPSCOPE_TRY(readIndices(fields, "repeats", m_place, repeats, overhead.repeats));
    for (std::size_t i = 1; i < overhead.repeats.size(); ++i) {
      if (overhead.repeats[i] <= overhead.repeats[i - 1]) {
        return m_file.error(m_place.member("repeats"),
                            fmt::format("{} after {}", overhead.repeats[i], overhead.repeats[i - 1]),
                            "ascending repeats");
      }
    }
    OPSCOPE_TRY(readTimes(fields, "unhookedNs", m_place, overhead.repeats.size(), overhead.unhookedNs));
    return overhead;
  }

 private:
  const JsonPlace& m_place;
};

}  // namespace

void appendOverheadJson(std::string& out, const Overhead& overhead) {
  appendJsonKey(out, "overhead");
  out += '{';
  appendJsonKey(out, "calls");
  appendJsonNumber(out, overhead.calls);
  appendJsonColumn(out, "repeats", overhead.repeats,
                   [](std::string& text, std::uint32_t repeat) { appendJsonInteger(text, repeat); });
  appendJsonKey(out, "unhookedNs");
  appendJsonNumbers(out, overhead.unhookedNs);
  out += '}';
}

base::Result<Overhead> overheadFromJson(const JsonFile& file, JsonElement element, const JsonPlace& place,
                                        std::uint32_t repeats) {
  return OverheadReader(file, place).read(element, repeats);
}

}  // namespace opscope::report
