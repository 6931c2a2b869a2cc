// SPDX-License-Identifier: Apache-2.0
#include "engine/session/ffi_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/string.h>

#include <array>
#include <cstring>

#include "engine/session/outputs.h"

namespace opscope::session {
namespace {

namespace ffi = tvm::ffi;
using ::testing::HasSubstr;

template <class T>
arrays::Array arrayOf(arrays::ElementType type, std::vector<std::int64_t> shape,
                      const std::vector<T>& values) {
  return arrays::Array::copyOf(type, std::move(shape), values.data(), values.size() * sizeof(T)).value();
}
const arrays::ElementType kFloat32{arrays::TypeCode::Float, 32, 1};

ffi::Any floats(std::vector<std::int64_t> shape, const std::vector<float>& values) {
  return tensorOf(arrayOf(kFloat32, std::move(shape), values));
}

TEST(FfiValues, TensorsShareTheArraysMemory) {
  const arrays::Array array = arrayOf<float>(kFloat32, {2, 2}, {1, 2, 3, 4});
  const auto tensor = tensorOf(array).cast<ffi::Tensor>();
  EXPECT_EQ(tensor.data_ptr(), static_cast<const void*>(array.data()));
  EXPECT_EQ(tensor.ndim(), 2);
  EXPECT_EQ(tensor.dtype().code, kDLFloat);
  EXPECT_TRUE(tensor.IsAligned(64));
}

TEST(FfiValues, TensorsKeepTheMemoryAlive) {
  ffi::Any value = floats({2}, {5, 6});
  EXPECT_EQ(static_cast<const float*>(value.cast<ffi::Tensor>().data_ptr())[1], 6);
}

TEST(FfiValues, EveryKindOfInputHasAValue) {
  EXPECT_EQ(valueOf({NoneValue{}}, {}, "x")->type_index(), kTVMFFINone);
  EXPECT_EQ(valueOf({std::int64_t{7}}, {}, "x")->cast<std::int64_t>(), 7);
  EXPECT_EQ(valueOf({2.5}, {}, "x")->cast<double>(), 2.5);
  EXPECT_EQ(valueOf({true}, {}, "x")->type_index(), kTVMFFIBool);
  EXPECT_EQ(std::string(valueOf({std::string("hello")}, {}, "x")->cast<ffi::String>()), "hello");
  EXPECT_EQ(valueOf({ShapeValue{{3, 4}}}, {}, "x")->cast<ffi::Shape>()[1], 4);
  const auto tuple = valueOf({TupleValue{{{std::int64_t{1}}, {TupleValue{{{std::int64_t{2}}}}}}}}, {}, "x");
  ASSERT_TRUE(tuple);
  EXPECT_EQ(tuple->cast<ffi::Array<ffi::Any>>()[1].cast<ffi::Array<ffi::Any>>()[0].cast<std::int64_t>(), 2);
}

TEST(FfiValues, StepResultsAreIndexedAndReshaped) {
  const std::array<ffi::Any, 2> results{
      ffi::Any(1), ffi::Any(ffi::Array<ffi::Any>{ffi::Any(nullptr), floats({2, 3}, {0, 1, 2, 3, 4, 5})})};
  const auto value = valueOf({StepResult{1, {1}, true, {3, 2}}}, results, "x");
  ASSERT_TRUE(value) << value.error().message;
  const auto tensor = value->cast<ffi::Tensor>();
  EXPECT_EQ(tensor.shape()[0], 3);
  EXPECT_EQ(tensor.strides()[0], 2);
  EXPECT_EQ(tensor.data_ptr(), results[1].cast<ffi::Array<ffi::Any>>()[1].cast<ffi::Tensor>().data_ptr());
  const auto scalar = valueOf({StepResult{1, {1}, true, {}}}, results, "x");
  EXPECT_FALSE(scalar) << "six elements are no scalar";
}

TEST(FfiValues, WrongStepResultsAreNamed) {
  const std::array<ffi::Any, 2> results{floats({2, 3}, {0, 1, 2, 3, 4, 5}), ffi::Any(nullptr)};
  const auto message = [&](const StepResult& wanted) {
    const auto value = valueOf({wanted}, results, "Step decode, argument 0");
    return value ? std::string("(no error)") : value.error().message;
  };
  EXPECT_THAT(message({2, {}, false, {}}),
              HasSubstr("Step decode, argument 0: there is no result of step 2"));
  EXPECT_THAT(message({0, {0}, false, {}}), HasSubstr("no tuple"));
  EXPECT_THAT(message({0, {}, true, {4, 2}}), HasSubstr("[4, 2]"));
  EXPECT_THAT(message({1, {0}, false, {}}), HasSubstr("no tuple"));
  EXPECT_THAT(message({1, {}, true, {1}}), HasSubstr("needs a tensor"));
}

TEST(FfiValues, OnlyStepResultsAreLate) {
  EXPECT_FALSE(needsResults({std::int64_t{1}}));
  EXPECT_TRUE(needsResults({StepResult{}}));
  EXPECT_TRUE(needsResults({TupleValue{{{std::int64_t{1}}, {TupleValue{{{StepResult{}}}}}}}}));
}

TEST(Outputs, TuplesShapesAndScalarsGetPaths) {
  Outputs outputs;
  const ffi::Any value(ffi::Array<ffi::Any>{
      floats({2}, {0.5F, -3}), ffi::Any(ffi::Array<ffi::Any>{ffi::Any(ffi::Shape({8, 9})), ffi::Any(42)}),
      ffi::Any(true), ffi::Any(1.25), ffi::Any(nullptr)});
  ASSERT_TRUE(addOutput("out", value, outputs));
  ASSERT_EQ(outputs.summaries.size(), 6u);
  EXPECT_EQ(outputs.summaries[0].path, "out/0");
  EXPECT_EQ(outputs.summaries[0].description, "float32 [2]");
  EXPECT_EQ(outputs.summaries[0].preview, "0.5, -3");
  EXPECT_EQ(outputs.summaries[1].path, "out/1/0");
  EXPECT_EQ(outputs.summaries[5].description, "none");
  EXPECT_EQ(outputs.summaries[0].facts->least, "-3");
  EXPECT_EQ(outputs.summaries[2].facts->type, "int64");
  EXPECT_FALSE(outputs.summaries[5].facts) << "none has no values";
  ASSERT_EQ(outputs.arrays.size(), 5u) << "none is not saved";
  EXPECT_EQ(arrays::describeArray(outputs.arrays[1].array), "int64 [2]");
  EXPECT_EQ(arrays::describeArray(outputs.arrays[2].array), "int64 []");
  EXPECT_EQ(arrays::describeArray(outputs.arrays[3].array), "bool []");
  EXPECT_EQ(outputs.summaries[3].preview, "true");
  EXPECT_EQ(arrays::describeArray(outputs.arrays[4].array), "float64 []");
}

TEST(Outputs, ViewsAreCopiedCompact) {
  const auto tensor = floats({2, 3}, {0, 1, 2, 3, 4, 5}).cast<ffi::Tensor>();
  const ffi::Any turned(tensor.as_strided(ffi::ShapeView({3, 2}), ffi::ShapeView({1, 3})));
  Outputs outputs;
  ASSERT_TRUE(addOutput("out", turned, outputs));
  EXPECT_EQ(outputs.summaries[0].preview, "0, 3, 1, 4, 2, 5");
}

TEST(Outputs, PreviewsReadEachElementType) {
  using arrays::TypeCode;
  EXPECT_EQ(previewOf(arrayOf<std::uint16_t>({TypeCode::Float, 16, 1}, {6},
                                             {0x3C00, 0xC000, 0x7C00, 0x0001, 0x8000, 0x3555})),
            "1, -2, inf, 5.96046e-08, -0, 0.333252");
  EXPECT_EQ(previewOf(arrayOf<std::uint16_t>({TypeCode::BFloat, 16, 1}, {2}, {0x3F80, 0xC0A0})), "1, -5");
  EXPECT_EQ(previewOf(arrayOf<std::int8_t>({TypeCode::Int, 8, 1}, {2}, {-128, 7})), "-128, 7");
  EXPECT_EQ(previewOf(arrayOf<std::uint64_t>({TypeCode::UInt, 64, 1}, {1}, {~std::uint64_t{0}})),
            "18446744073709551615");
  EXPECT_EQ(previewOf(arrayOf<std::int32_t>({TypeCode::Int, 32, 1}, {9}, {1, 2, 3, 4, 5, 6, 7, 8, 9})),
            "1, 2, 3, 4, 5, 6, 7, 8, …");
  EXPECT_EQ(previewOf(arrayOf<float>(kFloat32, {0}, {})), "");
}

}  // namespace
}  // namespace opscope::session
