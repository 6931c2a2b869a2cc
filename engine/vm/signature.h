// SPDX-License-Identifier: Apache-2.0
// What a function wants: inferred from the executable alone. Plain data, no tvm-ffi; any thread.
// Sources: error-context constants, check_* and match_shape, signatures of kernels (decisions: Inputs).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "engine/vm/executable.h"
#include "engine/vm/executable_file.h"

namespace opscope::vm {

/// A dimension: a number, or a free one with a name that is shared by all places where it stands ("n", "s0").
struct Dimension {
  std::int64_t value = -1;  ///< fixed size when name is empty
  std::string name;  ///< free dimension; an expression such as "n * 2" keeps its text and `isExpression`
  bool isExpression = false;
  bool isFree() const { return !name.empty(); }
  bool operator==(const Dimension&) const = default;
};

enum class ParameterKind { Tensor, Shape, Scalar, String, Tuple, Opaque };

struct Parameter {
  std::string name;
  ParameterKind kind = ParameterKind::Opaque;
  bool typeKnown = false;  ///< dtype below is known (tensor, scalar)
  DataType type;
  bool rankKnown = false;  ///< dimensions below are known (tensor, shape)
  std::vector<Dimension> dimensions;
  std::vector<Parameter> members;  ///< of a tuple
  std::string annotation;          ///< the text it was read from, empty when from bytecode only
};

struct Signature {
  std::string function;
  std::vector<Parameter> parameters;
  std::vector<std::string> freeDimensions;  ///< names in order of first use, expressions left out
  bool resultKnown = false;
  Parameter result;
};

/// The signature of function number `function` of `data`; parameters that nothing tells about are Opaque.
/// `kernels` tell the types of parameters that the executable does not check itself, such as weights.
/// Never fails: contradicting or broken texts count as absent, and bytecode goes before texts.
Signature inferSignature(const ExecutableData& data, std::int64_t function,
                         std::span<const KernelInfo> kernels = {});

/// The same with the kernels of the file.
Signature inferSignature(const ExecutableFile& file, std::int64_t function);

/// "float32 [n, 3, 48, 192]", "(float32 [2], shape [n])", "scalar int64", "object"; where less is known
/// "float32 of any shape", "tensor [n]", "tensor", "shape", "scalar", "string".
std::string describeParameter(const Parameter& parameter);

/// "main(x: float32 [n, 4], s: shape [k]) -> float32 [n, k]"; without the arrow when the result is not known.
std::string describeSignature(const Signature& signature);

}  // namespace opscope::vm
