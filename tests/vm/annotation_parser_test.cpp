// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/annotation_parser.h"

#include <gtest/gtest.h>

namespace opscope::vm {

namespace {

std::string describe(std::string_view text) {
  const auto parameter = parseAnnotation(text);
  return parameter ? describeParameter(*parameter) : "not well formed";
}

}  // namespace

TEST(AnnotationParser, ReadsTensors) {
  EXPECT_EQ(describe("R.Tensor((n, 3, 48, 192), dtype=\"float32\")"), "float32 [n, 3, 48, 192]");
  EXPECT_EQ(describe("T.Tensor((T.int64(4), T.int64(6)), dtype=\"float16\")"), "float16 [4, 6]");
  EXPECT_EQ(describe("R.Tensor((16,), dtype=\"int8x4\")"), "int8x4 [16]");
  EXPECT_EQ(describe("R.Tensor((), dtype=\"bool\")"), "bool []");
  EXPECT_EQ(describe("R.Tensor(dtype=\"float32\", ndim=2)"), "float32 [?, ?]");
  EXPECT_EQ(describe("R.Tensor(dtype=\"float32\")"), "float32 of any shape");
  EXPECT_EQ(describe("R.Tensor((n,))"), "tensor [n]");
  EXPECT_EQ(describe("R.Tensor(ndim=-1)"), "tensor");
  EXPECT_EQ(describe("R.Tensor"), "tensor");
  EXPECT_EQ(describe("R.Tensor((2, 3), dtype=\"float32\", vdevice=\"llvm:-1:global\")"), "float32 [2, 3]");
  EXPECT_EQ(describe("R.Tensor((\"n\", 3), \"float32\")"), "float32 [n, 3]");
}

TEST(AnnotationParser, KeepsExpressionsAsText) {
  const auto parameter = parseAnnotation(
      "R.Tensor((n * T.int64(4), (a + 1) // 2, T.min(n, m), -1, \"n + 1\"), dtype=\"int32\")");
  ASSERT_TRUE(parameter);
  ASSERT_EQ(parameter->dimensions.size(), 5U);
  EXPECT_EQ(parameter->dimensions[0].name, "n * 4");
  EXPECT_EQ(parameter->dimensions[1].name, "(a + 1) // 2");
  EXPECT_EQ(parameter->dimensions[2].name, "T.min(n, m)");
  EXPECT_EQ(parameter->dimensions[3].name, "-1");
  EXPECT_EQ(parameter->dimensions[4].name, "n + 1");
  for (const Dimension& dimension : parameter->dimensions) {
    EXPECT_TRUE(dimension.isExpression) << dimension.name;
  }
}

TEST(AnnotationParser, ReadsOtherKinds) {
  EXPECT_EQ(describe("R.Shape([n, T.int64(4), n * k + T.int64(1)])"), "shape [n, 4, n * k + 1]");
  EXPECT_EQ(describe("R.Shape(ndim=2)"), "shape [?, ?]");
  EXPECT_EQ(describe("R.Shape"), "shape");
  EXPECT_EQ(describe("R.Prim(\"int64\")"), "scalar int64");
  EXPECT_EQ(describe("T.int64"), "scalar int64");
  EXPECT_EQ(describe("T.float32"), "scalar float32");
  EXPECT_EQ(describe("R.Prim(value=n)"), "scalar");
  EXPECT_EQ(describe("R.Object"), "object");
  EXPECT_EQ(describe("R.Callable((R.Tensor((2,), dtype=\"float32\"),), R.Object, True)"), "object");
  EXPECT_EQ(describe("R.Tuple(R.Tensor((2,), dtype=\"float32\"), R.Tuple(R.Shape([n]), R.Object))"),
            "(float32 [2], (shape [n], object))");
  EXPECT_EQ(describe("T.Tuple()"), "()");
  EXPECT_EQ(describe("R.Tuple"), "()");
}

TEST(AnnotationParser, RefusesWhatIsNotWellFormed) {
  EXPECT_FALSE(parseAnnotation("R.Tensor((n, 3"));
  EXPECT_FALSE(parseAnnotation("R.Tensor((n, 3)) x)"));
  EXPECT_FALSE(parseAnnotation("R.Tensor((n, 3), dtype=\"float32)"));
  EXPECT_FALSE(parseAnnotation("R.Tuple(R.Shape([n])"));
  EXPECT_FALSE(parseAnnotation(std::string(100000, '(')));
  EXPECT_FALSE(parseAnnotation("R.Tensor(\"\\"));
}

TEST(AnnotationParser, SkipsStringsWithEscapes) {
  EXPECT_EQ(describe("R.Tensor((2,), dtype=\"float32\", vdevice=\"a \\\"quoted), (\\\" name\")"),
            "float32 [2]");
}

TEST(ErrorContextParser, ReadsParametersAndResults) {
  const auto parameter = parseErrorContext(
      "ErrorContext(fn=main, loc=param[12], param=serving_default_input_2:0, annotation=R.Tensor((1,), "
      "dtype=\"float32\")) ");
  ASSERT_TRUE(parameter);
  EXPECT_EQ(parameter->function, "main");
  EXPECT_EQ(parameter->parameterIndex, 12);
  EXPECT_EQ(parameter->parameterName, "serving_default_input_2:0");
  EXPECT_EQ(parameter->annotation, "R.Tensor((1,), dtype=\"float32\")");
  const auto result = parseErrorContext("ErrorContext(fn=f, loc=return, annotation=R.Object)");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->parameterIndex, -1);
  EXPECT_EQ(result->annotation, "R.Object");
}

TEST(ErrorContextParser, LeavesOtherTextsAlone) {
  EXPECT_FALSE(parseErrorContext("global"));
  EXPECT_FALSE(parseErrorContext("ErrorContext(fn=main"));
  EXPECT_FALSE(parseErrorContext("ErrorContext(fn=main, loc=match_cast, annotation=R.Object)"));
  EXPECT_FALSE(parseErrorContext("ErrorContext(fn=main, loc=param[x], param=x, annotation=R.Object)"));
  EXPECT_FALSE(parseErrorContext("ErrorContext(fn=main, loc=param[-1], param=x, annotation=R.Object)"));
  EXPECT_FALSE(
      parseErrorContext("ErrorContext(fn=main, loc=param[99999999999999999999], param=x, annotation=R)"));
}

TEST(KernelSignatureParser, ReadsNamesAndTypes) {
  const auto parameters =
      parseKernelSignature("add(gpu_0/data:0: Tensor([T.int64(1), n], float32), apply_rope: int64)");
  ASSERT_TRUE(parameters);
  ASSERT_EQ(parameters->size(), 2U);
  EXPECT_EQ((*parameters)[0].name, "gpu_0/data:0");
  EXPECT_EQ(describeParameter((*parameters)[0]), "float32 [1, n]");
  EXPECT_EQ((*parameters)[1].name, "apply_rope");
  EXPECT_EQ(describeParameter((*parameters)[1]), "scalar int64");
  EXPECT_FALSE(parseKernelSignature("add(a: Tensor([1], float32)"));
  EXPECT_FALSE(parseKernelSignature(""));
}

TEST(DataTypeName, IsReadBackAsWritten) {
  for (const char* name :
       {"int64", "uint8", "float16", "bfloat16", "bool", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e4m3",
        "float4_e2m1fn", "float6_e2m3fn", "int8x4", "handle", "complex64"}) {
    const auto type = parseDataType(name);
    ASSERT_TRUE(type) << name;
    EXPECT_EQ(dataTypeName(*type), name);
  }
  for (const char* name : {"", "int", "float", "int8x", "x4", "int8x0", "float32 ", "tensor", "int999"}) {
    EXPECT_FALSE(parseDataType(name)) << name;
  }
}

}  // namespace opscope::vm
