// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/executable_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "engine/runtime/library_bytes.h"
#include "tests/vm/executable_writer.h"
#include "tests/vm/fixture_files.h"

namespace opscope::vm {

namespace {

using test::ExecutableWriter;
using ::testing::AllOf;
using ::testing::HasSubstr;

// main(a) { b = f(a, 7, c[0], g); if a {..}; ret b } beside packed f and g, with one constant of every kind.
struct Sample {
  std::int64_t registers = 2;
  std::int64_t arguments = 1;
  std::int64_t end = 4;
  std::int64_t destination = 1;
  std::int64_t callee = 1;
  std::int64_t argumentCount = 4;
  std::int64_t constantArgument = (std::int64_t{2} << 56) | 0;
  std::int64_t functionArgument = (std::int64_t{3} << 56) | 2;
  std::int64_t condition = 0;
  std::int64_t ifJump = 2;
  std::int64_t gotoJump = 1;
  std::int64_t result = 1;
  std::int64_t secondOffset = 8;
  std::int64_t tensorBytes = 24;
  std::int32_t deviceType = 1;
  std::int32_t kind = 1;
  std::int64_t scopeConstant = 0;
  std::string trailing;

  std::string bytes() const {
    ExecutableWriter writer;
    writer.header().count(3);
    writer.function(kind, "main", 0, end, arguments, registers);
    writer.function(0, "f", 0, 0, 0, 0).function(0, "g", 0, 0, 0, 0);
    writer.count(1).word(scopeConstant).text("global");
    writer.count(6);
    writer.number(std::int32_t{70}).number(std::uint64_t{0xDD5E40F096B4A13FULL}).word(0);
    writer.number(deviceType).number(std::int32_t{0}).number(std::int32_t{2});
    writer.number(std::uint8_t{2}).number(std::uint8_t{32}).number(std::uint16_t{1}).word(2).word(3);
    writer.word(tensorBytes);
    for (int index = 0; index < 6; ++index) {
      writer.number(static_cast<float>(index));
    }
    writer.number(std::int32_t{69}).count(2).word(4).word(-1);
    writer.number(std::int32_t{65}).text("text");
    writer.number(std::int32_t{5}).number(std::uint8_t{6}).number(std::uint8_t{8}).number(std::uint16_t{1});
    writer.number(std::int32_t{1}).word(-5);
    writer.number(std::int32_t{3}).number(2.5);
    writer.count(4).word(0).word(secondOffset).word(11).word(13);
    writer.count(15);
    writer.word(1).word(destination).word(callee).word(argumentCount);
    writer.word(0).word((std::int64_t{1} << 56) | 7).word(constantArgument).word(functionArgument);
    writer.word(4).word(condition).word(ifJump);
    writer.word(3).word(gotoJump);
    writer.word(2).word(result);
    return writer.bytes() + trailing;
  }
};

base::Error errorOf(const std::string& bytes) {
  const auto result = decodeExecutable(bytes, "model.so");
  EXPECT_FALSE(result);
  return result ? base::Error{} : result.error();
}

}  // namespace

TEST(ExecutableDecoder, DecodesEveryKindOfField) {
  const auto result = decodeExecutable(Sample().bytes(), "model.so");
  ASSERT_TRUE(result) << base::formatError(result.error());
  const ExecutableData& data = **result;
  EXPECT_EQ(data.formatVersion, "0.14");
  ASSERT_EQ(data.functions.size(), 3U);
  EXPECT_EQ(findFunction(data, "g"), 2);
  EXPECT_EQ(findFunction(data, "h"), -1);
  ASSERT_EQ(data.constants.size(), 6U);
  const auto& tensor = std::get<TensorConstant>(data.constants[0]);
  EXPECT_EQ(tensor.shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(dataTypeName(tensor.type), "float32");
  float last = 0;
  std::memcpy(&last, data.bytes->view().data() + tensor.offset + tensor.size - sizeof(last), sizeof(last));
  EXPECT_EQ(last, 5.0F);
  EXPECT_EQ(std::get<ShapeConstant>(data.constants[1]).values, (std::vector<std::int64_t>{4, -1}));
  EXPECT_EQ(std::get<std::string>(data.constants[2]), "text");
  EXPECT_EQ(dataTypeName(std::get<DataType>(data.constants[3])), "bool");
  EXPECT_EQ(std::get<std::int64_t>(data.constants[4]), -5);
  EXPECT_EQ(std::get<double>(data.constants[5]), 2.5);
  ASSERT_EQ(data.instructions.size(), 4U);
  EXPECT_EQ(data.instructions[0].argumentCount, 4U);
  EXPECT_EQ(data.arguments[1].value, 7);
  EXPECT_EQ(data.arguments[3].kind, Argument::Kind::FunctionIndex);
  EXPECT_EQ(data.memoryScopes.at(0).scope, "global");
}

TEST(ExecutableDecoder, ReadsNegativeImmediates) {
  Sample sample;
  sample.constantArgument = (std::int64_t{1} << 56) | ((std::int64_t{1} << 56) - 9);
  const auto result = decodeExecutable(sample.bytes(), "model.so");
  ASSERT_TRUE(result);
  EXPECT_EQ((*result)->arguments[2].value, -9);
}

TEST(ExecutableDecoder, NamesPlaceFoundAndExpected) {
  Sample sample;
  sample.tensorBytes = 23;
  const base::Error error = errorOf(sample.bytes());
  EXPECT_EQ(error.code, base::ErrorCode::Format);
  EXPECT_THAT(error.message, HasSubstr("model.so"));
  EXPECT_EQ(error.detail,
            "At byte 280 of it, constant 0, number of bytes: found 23, expected 24 for its shape and type.");
  EXPECT_FALSE(error.hint.empty());
}

TEST(ExecutableDecoder, RefusesEachWrongField) {
  struct Case {
    void (*change)(Sample&);
    const char* words;
  };
  const Case cases[] = {
      {[](Sample& s) { s.registers = 0; }, "number of registers: found 0, expected at least 1"},
      {[](Sample& s) { s.registers = -1; }, "number of registers: found -1"},
      {[](Sample& s) { s.registers = kMaximumRegisters + 1; }, "number of registers"},
      {[](Sample& s) { s.arguments = -1; }, "number of arguments: found -1"},
      {[](Sample& s) { s.end = 5; }, "\"main\": found 0 to 5"},
      {[](Sample& s) { s.end = 0; }, "\"main\": found 0 to 0"},
      {[](Sample& s) { s.end = 1; }, "found one that runs on, expected ret or goto"},
      {[](Sample& s) { s.destination = 2; }, "instruction 0, register: found 2"},
      {[](Sample& s) { s.destination = -1; }, "instruction 0, register: found -1"},
      {[](Sample& s) { s.callee = 3; }, "function index: found 3, expected an index below 3"},
      {[](Sample& s) { s.argumentCount = 1000; }, "number of arguments: found 1000"},
      {[](Sample& s) { s.argumentCount = -1; }, "number of arguments: found -1"},
      {[](Sample& s) { s.argumentCount = 3; }, "instruction 1, word offset: found 8, expected 7"},
      {[](Sample& s) { s.constantArgument = (std::int64_t{2} << 56) | 6; }, "constant index: found 6"},
      {[](Sample& s) { s.functionArgument = (std::int64_t{3} << 56) | 3; }, "function index: found 3"},
      {[](Sample& s) { s.functionArgument = std::int64_t{4} << 56; }, "argument kind: found 4"},
      {[](Sample& s) { s.functionArgument = 2; }, "instruction 0, register: found 2"},
      {[](Sample& s) { s.condition = kVoidRegister; }, "instruction 1, register"},
      {[](Sample& s) { s.ifJump = 1; }, "instruction 1, jump: found 1, expected 2 or more"},
      {[](Sample& s) { s.ifJump = 3; }, "instruction 1, jump: found 3, expected -1 to 2"},
      {[](Sample& s) { s.gotoJump = -3; }, "instruction 2, jump: found -3, expected -2 to 1"},
      {[](Sample& s) { s.result = 2; }, "instruction 3, register: found 2"},
      {[](Sample& s) { s.secondOffset = 7; }, "word offset: found 7, expected 8"},
      {[](Sample& s) { s.deviceType = 2; }, "device type: found 2, expected 1"},
      {[](Sample& s) { s.kind = 3; }, "function 0, kind: found 3"},
      {[](Sample& s) { s.scopeConstant = 6; }, "memory scope 0, constant index: found 6"},
      {[](Sample& s) { s.trailing = "x"; }, "end: found 1 more bytes"},
  };
  for (const Case& entry : cases) {
    Sample sample;
    entry.change(sample);
    const base::Error error = errorOf(sample.bytes());
    EXPECT_EQ(error.code, base::ErrorCode::Format);
    EXPECT_THAT(error.detail, AllOf(HasSubstr("At byte "), HasSubstr(entry.words)));
  }
}

TEST(ExecutableDecoder, RefusesEveryTruncation) {
  const std::string bytes = Sample().bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(errorOf(bytes.substr(0, size)).code, base::ErrorCode::Format) << size;
  }
}

TEST(ExecutableDecoder, RefusesHugeCountsBeforeAllocating) {
  ExecutableWriter writer;
  writer.header().count(std::uint64_t{1} << 60);
  EXPECT_THAT(errorOf(writer.bytes()).detail, HasSubstr("number of functions: found 1152921504606846976"));
}

TEST(ExecutableDecoder, RefusesTheSameNameTwice) {
  ExecutableWriter writer;
  writer.header().count(2).function(0, "f", 0, 0, 0, 0).function(0, "f", 0, 0, 0, 0);
  writer.count(0).count(0).count(0).count(0);
  EXPECT_THAT(errorOf(writer.bytes()).detail, HasSubstr("\"f\" a second time"));
}

TEST(ExecutableDecoder, ReadsTheFirstFormatWithoutScopesAndWithItsTags) {
  const auto write = [](std::uint64_t magic, std::int32_t shapeTag) {
    ExecutableWriter writer;
    writer.number(magic).text("0.14").count(0);
    return writer.count(1).number(shapeTag).count(2).word(4).word(5).count(0).count(0).bytes();
  };
  const auto old = decodeExecutable(write(kFormatMagicV1, 71), "model.so");
  ASSERT_TRUE(old) << base::formatError(old.error());
  EXPECT_EQ(std::get<ShapeConstant>((*old)->constants.at(0)).values, (std::vector<std::int64_t>{4, 5}));
  EXPECT_TRUE(decodeExecutable(write(kFormatMagicV1, 69), "model.so"));
  EXPECT_FALSE(decodeExecutable(write(kFormatMagicV2, 71), "model.so"));
  EXPECT_THAT(errorOf(write(kFormatMagicV1, 73)).detail, HasSubstr("72 (tensor)"));
}

TEST(ExecutableDecoder, SaysInWordsWhichVersionsAreRead) {
  ExecutableWriter other;
  other.number(std::uint64_t{0xD225DE2F4214151EULL}).text("0.15");
  EXPECT_EQ(errorOf(other.bytes()).code, base::ErrorCode::Unsupported);
  EXPECT_THAT(errorOf(other.bytes()).message, HasSubstr("0.15"));
}

TEST(ExecutableDecoder, DecodesAllFixtures) {
  const std::vector<std::string> fixtures = test::allFixtures();
  EXPECT_GE(fixtures.size(), 38U);
  for (const std::string& fixture : fixtures) {
    const auto result = decodeExecutable(test::executableBytes(fixture), fixture);
    ASSERT_TRUE(result) << base::formatError(result.error());
    EXPECT_FALSE((*result)->functions.empty()) << fixture;
  }
}

TEST(DataTypeName, SpellsAsTvmDoes) {
  EXPECT_EQ(dataTypeName({0, 64, 1}), "int64");
  EXPECT_EQ(dataTypeName({1, 8, 1}), "uint8");
  EXPECT_EQ(dataTypeName({0, 8, 4}), "int8x4");
  EXPECT_EQ(dataTypeName({4, 16, 1}), "bfloat16");
  EXPECT_EQ(dataTypeName({6, 8, 1}), "bool");
  EXPECT_EQ(dataTypeName({10, 8, 1}), "float8_e4m3fn");
  EXPECT_EQ(dataTypeName({3, 64, 1}), "handle");
  EXPECT_EQ(dataTypeName({3, 0, 0}), "");
}

}  // namespace opscope::vm
