// SPDX-License-Identifier: Apache-2.0
// What a run returned, as plain values for people and files. On the worker.
#pragma once

#include <tvm/ffi/any.h>

#include <string>
#include <vector>

#include "engine/arrays/npz.h"
#include "engine/base/result.h"
#include "engine/session/events.h"

namespace opscope::session {

struct Outputs {
  std::vector<OutputSummary> summaries;    ///< every value, those that cannot be saved too
  std::vector<arrays::NamedArray> arrays;  ///< for OUT.npz
};

/// Adds `value` under `path` ("out"); members of tuples get "out/0", "out/1/0". Tensors are copied as they
/// are, shapes become int64 arrays, scalars 0-d arrays; none and opaque values have a summary only. Errors:
/// Unsupported for element types that files cannot hold, OutOfMemory.
base::Result<> addOutput(const std::string& path, const tvm::ffi::Any& value, Outputs& outputs);

/// The first elements of an array: "0.125, -3, 7, …".
std::string previewOf(const arrays::Array& array);

}  // namespace opscope::session
