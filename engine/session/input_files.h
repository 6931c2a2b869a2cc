// SPDX-License-Identifier: Apache-2.0
// The files that inputs are read from; each is opened once. One thread at a time.
#pragma once

#include <map>
#include <string>

#include "engine/arrays/npz.h"
#include "engine/base/result.h"
#include "engine/session/input_slots.h"
#include "engine/session/input_value.h"

namespace opscope::session {

class InputFiles {
 public:
  /// The reader of an npz file. Errors: those of NpzReader::open.
  base::Result<const arrays::NpzReader*> archive(const std::string& path);

  /// The array of an npy file (empty `key`) or of an npz file. A key without an array but with KEY/0, KEY/1,
  /// … gives a tuple. Arrays read twice share their bytes. Errors: those of the readers.
  base::Result<InputValue> load(const std::string& path, const std::string& key);

 private:
  base::Result<InputValue> loadKey(const arrays::NpzReader& reader, const std::string& key);

  std::map<std::string, arrays::NpzReader> m_archives;
  std::map<std::pair<std::string, std::string>, arrays::Array> m_arrays;
};

/// Makes what a file holds into what a parameter takes: for a scalar an array of one element becomes a
/// number, for a shape a row of whole numbers becomes a shape. Everything else stays as it is.
InputValue fitToParameter(const vm::Parameter& parameter, InputValue value);

}  // namespace opscope::session
