// SPDX-License-Identifier: GPL-3.0-or-later
// What the Compare page can do, as commands.
#include "ui/models/format.h"
#include "ui/views/compare/compare_head.h"
#include "ui/views/compare_page.h"

namespace opscope::ui {
namespace {

struct VerdictKeys {
  report::Verdict verdict;
  const char* id;
  const char* keys;
};

constexpr VerdictKeys kVerdictKeys[] = {{report::Verdict::Faster, "compare.faster", "Ctrl+K, F7"},
                                        {report::Verdict::Slower, "compare.slower", "Ctrl+K, F8"},
                                        {report::Verdict::Same, "compare.same", "Ctrl+K, F9"},
                                        {report::Verdict::TooNoisy, "compare.noisy", "Ctrl+K, F10"},
                                        {report::Verdict::New, "compare.new", "Ctrl+K, F11"},
                                        {report::Verdict::Gone, "compare.gone", "Ctrl+K, F12"},
                                        {report::Verdict::NoSamples, "compare.noSamples", "Ctrl+K, 0"}};

}  // namespace

std::vector<PageAct> ComparePage::acts() {
  std::vector<PageAct> list;
  for (const VerdictKeys& entry : kVerdictKeys) {
    VerdictChip* chip = m_chips.at(entry.verdict);
    const QString name = format::fromUtf8(report::verdictName(entry.verdict));
    PageAct act = pressing(entry.id, QStringLiteral("Show or leave out: %1").arg(name), entry.keys, chip);
    act.tooltip =
        QStringLiteral("Show ops with this verdict alone, or with the others that are pressed: %1").arg(name);
    act.possible = [this, chip, verdict = entry.verdict]() {
      return m_view != nullptr && (chip->isChecked() || m_view->comparison->count(verdict) > 0);
    };
    list.push_back(std::move(act));
  }
  list.push_back({"compare.all", QStringLiteral("Show all verdicts"),
                  QStringLiteral("Show ops of every verdict again"), "Ctrl+K, B", nullptr,
                  [this]() {
                    for (const auto& [verdict, chip] : m_chips) chip->setChecked(false);
                  },
                  [this]() { return m_view != nullptr && !m_model->verdicts().empty(); }});
  const auto compared = [this]() { return m_view != nullptr; };
  list.push_back({"compare.save", QStringLiteral("Save the waterfall"),
                  QStringLiteral("Save the chart at the foot of the page as a picture"), "Ctrl+K, 8", nullptr,
                  [this]() {
                    // The button below which the formats are listed.
                    m_footSave->click();
                  },
                  compared});
  list.push_back({"compare.enlarge", QStringLiteral("Enlarge the waterfall"),
                  QStringLiteral("Give the page to that chart, or show the table again"), "Ctrl+K, 9",
                  nullptr, [this]() { enlarge(!m_enlarged); }, compared});
  return list;
}

}  // namespace opscope::ui
