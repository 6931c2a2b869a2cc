// SPDX-License-Identifier: Apache-2.0
#include "engine/report/noise_json.h"

#include <utility>

#include "engine/report/field_reader.h"
#include "engine/report/json_text.h"

namespace opscope::report {

namespace {

class NoiseReader : FieldReader {
 public:
  NoiseReader(const JsonFile& file, const JsonPlace& place) : FieldReader(file), m_place(place) {}

  Result<NoiseGrade> read(JsonElement element) {
    OPSCOPE_TRY_ASSIGN(const object fields, m_file.object(element, m_place));
    NoiseGrade noise;
    OPSCOPE_TRY_ASSIGN(noise.grade, grade(fields, m_place));
    OPSCOPE_TRY_ASSIGN(const array checks, list(fields, "checks", m_place));
    const JsonPlace checksPlace = m_place.member("checks");
    for (const JsonElement item : checks) {
      OPSCOPE_TRY_ASSIGN(noise.checks.emplace_back(), check(item, checksPlace.item(noise.checks.size())));
    }
    OPSCOPE_TRY_ASSIGN(const array unknown, list(fields, "unknown", m_place));
    const JsonPlace unknownPlace = m_place.member("unknown");
    for (const JsonElement item : unknown) {
      OPSCOPE_TRY_ASSIGN(const std::string_view title,
                         m_file.string(item, unknownPlace.item(noise.unknown.size())));
      noise.unknown.emplace_back(title);
    }
    return noise;
  }

 private:
  Result<Grade> grade(const object& fields, const JsonPlace& place) const {
    OPSCOPE_TRY_ASSIGN(const std::string_view letter, text(fields, "grade", place));
    if (letter.size() != 1 || letter[0] < 'A' || letter[0] > 'D') {
      return m_file.error(place.member("grade"), fmt::format("the text \"{}\"", letter.substr(0, 40)),
                          "A, B, C or D");
    }
    return static_cast<Grade>(letter[0] - 'A');
  }

  Result<NoiseCheck> check(JsonElement element, const JsonPlace& place) const {
    OPSCOPE_TRY_ASSIGN(const object fields, m_file.object(element, place));
    NoiseCheck check;
    const std::pair<std::string_view, std::string*> texts[] = {
        {"id", &check.id}, {"title", &check.title}, {"found", &check.found}, {"advice", &check.advice}};
    for (const auto& [key, field] : texts) {
      OPSCOPE_TRY_ASSIGN(const std::string_view value, text(fields, key, place));
      *field = value;
    }
    OPSCOPE_TRY_ASSIGN(check.grade, grade(fields, place));
    return check;
  }

  const JsonPlace& m_place;
};

}  // namespace

void appendNoiseJson(std::string& out, const NoiseGrade& noise) {
  appendJsonKey(out, "noise");
  out += '{';
  appendTextMember(out, "grade", std::string(1, letterOf(noise.grade)));
  appendJsonKey(out, "checks");
  out += '[';
  for (const NoiseCheck& check : noise.checks) {
    appendJsonComma(out);
    out += '{';
    appendTextMember(out, "id", check.id);
    appendTextMember(out, "title", check.title);
    appendTextMember(out, "found", check.found);
    appendTextMember(out, "grade", std::string(1, letterOf(check.grade)));
    appendTextMember(out, "advice", check.advice);
    out += '}';
  }
  out += ']';
  appendJsonKey(out, "unknown");
  appendJsonStrings(out, noise.unknown);
  out += '}';
}

base::Result<NoiseGrade> noiseFromJson(const JsonFile& file, JsonElement element, const JsonPlace& place) {
  return NoiseReader(file, place).read(element);
}

}  // namespace opscope::report
