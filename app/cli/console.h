// SPDX-License-Identifier: Apache-2.0
// What a person sees: results on standard output; errors, warnings and the progress bar on standard error.
// Colour and bar only on terminals. Main thread. While a console lives, what anything else prints to standard
// output (models may print) goes to standard error, so that results stay readable for programs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/error.h"
#include "engine/base/result.h"
#include "engine/session/events.h"

namespace opscope::cli {

class Console {
 public:
  explicit Console(bool quiet);
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  /// To standard output, whole. Errors: Io.
  base::Result<> write(std::string_view text);
  /// Words made bold on a terminal.
  std::string heading(std::string_view text) const;
  /// A table with its first line as heading.
  std::string headed(std::string_view table) const;

  void error(const base::Error& error);
  /// "opscope: warning: MESSAGE" and the hint; nothing when quiet.
  void warning(std::string_view message, std::string_view hint);
  /// "opscope: MESSAGE"; nothing when quiet.
  void note(std::string_view message);

  void showProgress(const session::Progress& progress);
  void hideProgress();

  bool quiet() const { return m_quiet; }
  /// Columns of the terminal that standard output goes to ($COLUMNS goes before what it tells itself);
  /// nothing when it goes elsewhere.
  std::optional<std::size_t> width() const;

 private:
  void line(std::string_view kind, std::string_view colour, std::string_view rest);

  int m_output;  // our own descriptor of standard output
  bool m_quiet;
  bool m_colourOut;
  bool m_colourError;
  bool m_showsBar;
  bool m_barVisible = false;
};

}  // namespace opscope::cli
