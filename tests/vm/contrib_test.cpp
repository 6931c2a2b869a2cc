// SPDX-License-Identifier: Apache-2.0
// The contrib builtins against results of the real TVM (tests/data/vm/contrib/cases.json, written by
// make_contrib_cases.py).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/dtype.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/string.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/runtime/storage.h"
#include "engine/vm/builtins.h"
#include "engine/vm/builtins/array_text.h"
#include "tests/vm/fixture_files.h"

namespace opscope::vm {

namespace {

namespace ffi = tvm::ffi;
using nlohmann::json;
using ::testing::HasSubstr;

const json& cases() {
  static const json kCases =
      json::parse(test::fileBytes(std::string(OPSCOPE_TEST_DATA) + "/vm/contrib/cases.json"));
  return kCases;
}

std::string fromHex(const std::string& hex) {
  std::string bytes;
  for (std::size_t at = 0; at + 1 < hex.size(); at += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(at, 2), nullptr, 16));
  }
  return bytes;
}

ffi::Tensor newTensor(const std::vector<std::int64_t>& shape, const std::string& dtype) {
  runtime::StorageAllocator allocator(runtime::AllocatorKind::Naive);
  return runtime::emptyTensor(allocator, {shape.data(), shape.size()}, ffi::StringToDLDataType(dtype),
                              DLDevice{kDLCPU, 0});
}

ffi::Tensor toTensor(const json& spec) {
  ffi::Tensor tensor = newTensor(spec.at("shape").get<std::vector<std::int64_t>>(), spec.at("dtype"));
  const std::string bytes = fromHex(spec.at("hex"));
  if (!bytes.empty()) {
    std::memcpy(tensor.data_ptr(), bytes.data(), bytes.size());
  }
  return tensor;
}

// Type, shape and bytes in one text, so that a difference shows what it is.
std::string describe(const ffi::Tensor& tensor) {
  const DLTensor& raw = *tensor.GetDLTensorPtr();
  std::string text = std::string(ffi::DLDataTypeToString(raw.dtype)) + " [";
  std::int64_t count = 1;
  for (std::int32_t axis = 0; axis < raw.ndim; ++axis) {
    text += std::to_string(raw.shape[axis]) + ",";
    count *= raw.shape[axis];
  }
  text += "] ";
  const auto* bytes = static_cast<const unsigned char*>(raw.data);
  for (std::int64_t at = 0; at < count * ((raw.dtype.bits + 7) / 8); ++at) {
    char two[3];
    std::snprintf(two, sizeof(two), "%02x", bytes[at]);
    text += two;
  }
  return text;
}

ffi::Any toValue(const json& argument, std::vector<ffi::Tensor>& outputs) {
  if (argument.is_object() && argument.contains("shape") && !argument.contains("hex")) {
    const auto sizes = argument.at("shape").get<std::vector<std::int64_t>>();
    return ffi::Shape(sizes.begin(), sizes.end());
  }
  if (argument.is_object()) {
    const bool isOutput = argument.contains("out");
    ffi::Tensor tensor = toTensor(isOutput ? argument.at("out") : argument.at("tensor"));
    if (isOutput) {
      outputs.push_back(tensor);
    }
    return tensor;
  }
  if (argument.is_boolean()) {
    return argument.get<bool>();
  }
  if (argument.is_number_float()) {
    return argument.get<double>();
  }
  if (argument.is_string()) {
    return ffi::String(argument.get<std::string>());
  }
  return argument.is_null() ? ffi::Any() : ffi::Any(argument.get<std::int64_t>());
}

ffi::Any call(const std::string& name, const std::vector<ffi::Any>& arguments) {
  const Builtin* builtin = findBuiltin(name);
  EXPECT_NE(builtin, nullptr) << name;
  std::vector<ffi::AnyView> views(arguments.begin(), arguments.end());
  ffi::Any result;
  builtin->call(ffi::PackedArgs(views.data(), static_cast<std::int32_t>(views.size())), &result);
  return result;
}

std::string errorOf(const std::string& name, const std::vector<ffi::Any>& arguments) {
  try {
    call(name, arguments);
  } catch (const ffi::Error& error) {
    return std::string(error.kind()) + ": " + std::string(error.message());
  }
  return "no error";
}

std::vector<ffi::Tensor> toTensors(const ffi::Any& result) {
  std::vector<ffi::Tensor> tensors;
  if (result.type_index() == kTVMFFITensor) {
    tensors.push_back(result.cast<ffi::Tensor>());
  } else if (result.type_index() == kTVMFFIArray) {
    for (const ffi::Any& item : result.cast<ffi::Array<ffi::Any>>()) {
      tensors.push_back(item.cast<ffi::Tensor>());
    }
  }
  return tensors;
}

}  // namespace

TEST(ContribBuiltins, GiveTvmsResults) {
  std::set<std::string> functions;
  for (const json& entry : cases().at("cases")) {
    const std::string name = entry.at("function");
    functions.insert(name);
    std::vector<ffi::Tensor> outputs;
    std::vector<ffi::Any> arguments;
    for (const json& argument : entry.at("arguments")) {
      arguments.push_back(toValue(argument, outputs));
    }
    const std::vector<ffi::Tensor> results = toTensors(call(name, arguments));
    const std::string where = name + " " + entry.at("arguments").dump();
    for (std::size_t index = 0; index < outputs.size(); ++index) {
      EXPECT_EQ(describe(outputs[index]), describe(toTensor(entry.at("outputs").at(index)))) << where;
    }
    const std::size_t expected = entry.at("result").is_null() ? 0 : entry.at("result").size();
    ASSERT_EQ(results.size(), expected) << where;
    for (std::size_t index = 0; index < expected; ++index) {
      EXPECT_EQ(describe(results[index]), describe(toTensor(entry.at("result").at(index)))) << where;
    }
  }
  EXPECT_EQ(functions.size(), 9U);
}

TEST(ContribBuiltins, PrintArraysAsNumpyDoes) {
  for (const json& entry : cases().at("texts")) {
    EXPECT_EQ(arrayText(*toTensor(entry.at("tensor")).GetDLTensorPtr()), entry.at("text").get<std::string>());
  }
}

TEST(ContribBuiltins, FormatAsPythonDoes) {
  for (const json& entry : cases().at("formats")) {
    EXPECT_EQ(formatTexts(entry.at("format").get<std::string>(),
                          entry.at("values").get<std::vector<std::string>>()),
              entry.at("text").get<std::string>());
  }
  EXPECT_THROW(formatTexts("{} {}", {"a"}), ffi::Error);
  EXPECT_THROW(formatTexts("{", {"a"}), ffi::Error);
  EXPECT_THROW(formatTexts("}", {"a"}), ffi::Error);
  EXPECT_THROW(formatTexts("{name}", {"a"}), ffi::Error);
  EXPECT_THROW(formatTexts("{:d}", {"a"}), ffi::Error);
  EXPECT_THROW(formatTexts("{99999999999999999999}", {"a"}), ffi::Error);
}

TEST(ContribBuiltins, PrintOtherValuesAsPythonDoes) {
  EXPECT_EQ(pythonText(ffi::Any()), "None");
  EXPECT_EQ(pythonText(ffi::Any(true)), "True");
  EXPECT_EQ(pythonText(ffi::Any(1.0)), "1.0");
  EXPECT_EQ(pythonText(ffi::Any(1e-7)), "1e-07");
  EXPECT_EQ(pythonText(ffi::Any(ffi::String("text"))), "text");
  EXPECT_EQ(pythonText(ffi::Any(ffi::Shape({4}))), "(4,)");
  EXPECT_EQ(pythonText(ffi::Any(ffi::Shape({1, 2}))), "(1, 2)");
  EXPECT_EQ(pythonText(ffi::Any(ffi::Array<ffi::Any>{1, 2.5, ffi::Array<ffi::Any>{}})), "(1, 2.5, ())");
}

TEST(ContribBuiltins, PrintGoesToStandardOutput) {
  testing::internal::CaptureStdout();
  call("relax.run.print", {ffi::String("x is {}"), ffi::Any(3)});
  call("relax.run.print", {ffi::String(""), ffi::Any(3), ffi::Any(false)});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "x is 3\n3 False\n");
}

TEST(ContribBuiltins, AssertRaisesTheFormattedText) {
  EXPECT_EQ(errorOf("relax.run.assert_op", {true, ffi::String("no"), ffi::Any(1)}), "no error");
  EXPECT_EQ(errorOf("relax.run.assert_op", {false, ffi::String("failed {}"), ffi::Any(3)}),
            "AssertionError: failed 3");
  EXPECT_EQ(errorOf("relax.run.assert_op", {false, ffi::String(""), 3, true}), "AssertionError: 3, True");
  EXPECT_EQ(errorOf("relax.run.assert_op", {false, ffi::String("")}), "AssertionError: Assertion Failed");
  ffi::Tensor condition = newTensor({}, "bool");
  *static_cast<char*>(condition.data_ptr()) = 0;
  EXPECT_EQ(errorOf("relax.run.assert_op", {condition, ffi::String("t")}), "AssertionError: t");
  *static_cast<char*>(condition.data_ptr()) = 1;
  EXPECT_EQ(errorOf("relax.run.assert_op", {condition, ffi::String("t")}), "no error");
  EXPECT_THAT(errorOf("relax.run.assert_op", {newTensor({1}, "bool"), ffi::String("t")}),
              HasSubstr("scalar"));
  EXPECT_THAT(errorOf("relax.run.assert_op", {newTensor({}, "int32"), ffi::String("t")}), HasSubstr("int32"));
}

TEST(ContribBuiltins, RandomNumbersStayInRange) {
  ffi::Tensor integers = newTensor({1000}, "int8");
  call("tvm.contrib.random.randint", {-300, 5, integers});
  const auto* values = static_cast<const std::int8_t*>(integers.data_ptr());
  EXPECT_LT(*std::max_element(values, values + 1000), 5);
  EXPECT_LT(*std::min_element(values, values + 1000), -64);
  ffi::Tensor halves = newTensor({1000}, "float16");
  call("tvm.contrib.random.random_fill", {halves});
  for (int index = 0; index < 1000; ++index) {
    const auto bits = static_cast<const std::uint16_t*>(halves.data_ptr())[index];
    EXPECT_TRUE(bits >= 0x3C00 && bits <= 0x4900) << bits;  // 1.0 to 10.0
  }
  ffi::Tensor first = newTensor({8}, "float32");
  ffi::Tensor second = newTensor({8}, "float32");
  for (const ffi::Tensor& output : {first, second}) {
    call("tvm.contrib.random.seed", {42});
    call("tvm.contrib.random.uniform", {0.0, 1.0, output});
  }
  EXPECT_EQ(describe(first), describe(second));
  call("tvm.contrib.random.normal", {0, 1, second});
  EXPECT_NE(describe(first), describe(second));
}

TEST(ContribBuiltins, RefuseWhatWouldWriteElsewhere) {
  const ffi::Tensor line = newTensor({4}, "float32");
  EXPECT_THAT(errorOf("tvm.contrib.sort.sort", {line, newTensor({3}, "float32"), 0, true}),
              HasSubstr("3 elements"));
  EXPECT_THAT(errorOf("tvm.contrib.sort.sort", {line, newTensor({4}, "int32"), 0, true}), HasSubstr("types"));
  EXPECT_THAT(errorOf("tvm.contrib.sort.sort", {line, line, 1, true}), HasSubstr("axis 1"));
  EXPECT_THAT(errorOf("tvm.contrib.sort.sort", {line, line, -2, true}), HasSubstr("axis -2"));
  EXPECT_THAT(errorOf("tvm.contrib.sort.sort", {line, line, 0}), HasSubstr("takes 4 arguments"));
  EXPECT_THAT(errorOf("tvm.contrib.sort.argsort", {line, newTensor({4}, "float16"), 0, true}),
              HasSubstr("float16"));
  EXPECT_THAT(
      errorOf("tvm.contrib.sort.topk", {line, newTensor({2}, "int32"), 3, 0, ffi::String("indices"), true}),
      HasSubstr("2 elements"));
  EXPECT_THAT(errorOf("tvm.contrib.sort.topk", {line, line, 3, 0, ffi::String("both"), true}),
              HasSubstr("both"));
  ffi::Tensor count = newTensor({1}, "int32");
  *static_cast<std::int32_t*>(count.data_ptr()) = 5;
  EXPECT_THAT(errorOf("tvm.contrib.sort.argsort_nms",
                      {newTensor({1, 4}, "float32"), count, newTensor({1, 4}, "int32"), 1, true}),
              HasSubstr("5 elements"));
  EXPECT_THAT(errorOf("tvm.contrib.random.uniform", {1.0, 1.0, line}), HasSubstr("not above"));
  EXPECT_THAT(errorOf("tvm.contrib.random.normal", {1.0, 0.0, line}), HasSubstr("deviation"));
  EXPECT_THAT(errorOf("tvm.contrib.random.randint", {0, 5, line}), HasSubstr("float32"));
  EXPECT_THAT(errorOf("tvm.contrib.random.randint", {300, 500, newTensor({4}, "uint8")}),
              HasSubstr("no number"));
  EXPECT_THAT(errorOf("relax.run.unique", {line, 1, 0, 0, 0, 3}), HasSubstr("axis 3"));
}

}  // namespace opscope::vm
