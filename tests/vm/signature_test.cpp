// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/signature.h"

#include <gtest/gtest.h>

#include <map>

#include "engine/vm/executable_decoder.h"
#include "tests/vm/executable_writer.h"
#include "tests/vm/fixture_files.h"

namespace opscope::vm {

namespace {

struct Expected {
  const char* fixture;
  const char* signature;
};

// What the sources of the fixtures say, function by function.
constexpr Expected kExpected[] = {
    {"tvm025/closure", "main(x: float32 [2, 3], y: float32 [2, 3]) -> float32 [2, 3]"},
    {"tvm025/closure", "main_outer(c1: float32 [2, 3])"},
    {"tvm025/closure", "main_inner(x1: float32 [2, 3], c1: float32 [2, 3]) -> float32 [2, 3]"},
    {"tvm025/cnn",
     "forward(x: float32 [1, 3, 16, 16], c1.weight: float32 [8, 3, 3, 3], c1.bias: float32 [8], c2.weight: "
     "float32 [16, 8, 3, 3], c2.bias: float32 [16], fc.weight: float32 [10, 1024], fc.bias: float32 [10]) -> "
     "float32 [1, 10]"},
    {"tvm025/mlp",
     "forward(x: float32 [1, 784], fc1.weight: float32 [256, 784], fc1.bias: float32 [256], fc2.weight: "
     "float32 [10, 256], fc2.bias: float32 [10]) -> float32 [1, 10]"},
    {"tvm025/mlp_compiled",
     "forward(x: float32 [1, 784], fc1.weight: float32 [256, 784], fc1.bias: float32 [256], fc2.weight: "
     "float32 [10, 256], fc2.bias: float32 [10])"},
    {"tvm025/mlp_dyn",
     "forward(x: float32 [n, 784], fc1.weight: float32 [256, 784], fc1.bias: float32 [256], fc2.weight: "
     "float32 [10, 256], fc2.bias: float32 [10]) -> float32 [n, 10]"},
    {"tvm025/recursion", "main(n: int32 [])"},
    {"tvm025/recursion", "sumto(n: int32 [], acc: int32 [])"},
    {"tvm025/tirvars", "main(x: int64 [n], s: shape [m]) -> int64 [n]"},
    {"tvm027/chain", "main(x: float32 [16]) -> float32 [16]"},
    {"tvm027/chain_compiled", "main(x: float32 [16])"},
    {"tvm027/closure", "main(x: float32 [2, 3], y: float32 [2, 3]) -> float32 [2, 3]"},
    {"tvm027/closure", "main_outer(c1: float32 [2, 3])"},
    {"tvm027/closure", "main_inner(x1: float32 [2, 3], c1: float32 [2, 3]) -> float32 [2, 3]"},
    {"tvm027/cnn",
     "forward(x: float32 [1, 3, 16, 16], c1.weight: float32 [8, 3, 3, 3], c1.bias: float32 [8], c2.weight: "
     "float32 [16, 8, 3, 3], c2.bias: float32 [16], fc.weight: float32 [10, 1024], fc.bias: float32 [10]) -> "
     "float32 [1, 10]"},
    {"tvm027/dpspacked", "main(x: float32 [4, 4], y: float32 [4, 4])"},
    {"tvm027/dynreshape", "main(x: float32 [6, 4], sh: int64 [2]) -> float32 [s0, s1]"},
    {"tvm027/fp16", "main(x: float16 [8, 16], w: float16 [16, 8]) -> float16 [8, 8]"},
    {"tvm027/ifelse", "main(c: bool [], x: float32 [8]) -> float32 [8]"},
    {"tvm027/ifelse_compiled", "main(c: bool [], x: float32 [8])"},
    {"tvm027/ifelse_f", "main(c: bool [], x: float32 [8]) -> float32 [8]"},
    {"tvm027/kernelcall", "main(x: float32 [4, 4], y: float32 [4, 4]) -> float32 [4, 4]"},
    {"tvm027/misc",
     "main(x: float32 [n, 4], p: scalar int64, s: shape [k]) -> (float32 [n * 4], float32 [n, k], shape [n, "
     "k, n * k + 1], shape [n, 4])"},
    {"tvm027/mlp",
     "forward(x: float32 [1, 784], fc1.weight: float32 [256, 784], fc1.bias: float32 [256], fc2.weight: "
     "float32 [10, 256], fc2.bias: float32 [10]) -> float32 [1, 10]"},
    {"tvm027/mlp_compiled",
     "forward(x: float32 [1, 784], fc1.weight: float32 [256, 784], fc1.bias: float32 [256], fc2.weight: "
     "float32 [10, 256], fc2.bias: float32 [10])"},
    {"tvm027/mlp_const", "forward(x: float32 [1, 784]) -> float32 [1, 10]"},
    {"tvm027/mlp_dyn",
     "forward(x: float32 [n, 784], fc1.weight: float32 [256, 784], fc1.bias: float32 [256], fc2.weight: "
     "float32 [10, 256], fc2.bias: float32 [10]) -> float32 [n, 10]"},
    {"tvm027/mlp_dyn_compiled",
     "forward(x: float32 [n, 784], fc1.weight: float32 [256, 784], fc1.bias: float32 [256], fc2.weight: "
     "float32 [10, 256], fc2.bias: float32 [10]) -> float32 [n, 10]"},
    {"tvm027/mlp_zero",
     "forward(x: float32 [1, 784], fc1.weight: float32 [256, 784], fc1.bias: float32 [256], fc2.weight: "
     "float32 [10, 256], fc2.bias: float32 [10]) -> float32 [1, 10]"},
    {"tvm027/multinomial",
     "main(prob: float32 [2, 8], u: float32 [4, 1], idx: int64 [4, 1]) -> int64 [4, 1]"},
    {"tvm027/parallel", "main(x: float32 [64, 1024]) -> float32 [64, 1024]"},
    {"tvm027/parallel_compiled", "main(x: float32 [64, 1024])"},
    {"tvm027/parfail", "main(x: float32 [8]) -> float32 [8]"},
    {"tvm027/printassert", "main(x: int32 [], c: bool []) -> int32 []"},
    {"tvm027/randomfn", "main(x: float32 [4, 4]) -> float32 [4, 4]"},
    {"tvm027/recursion", "main(n: int32 [])"},
    {"tvm027/recursion", "sumto(n: int32 [], acc: int32 [])"},
    {"tvm027/rnd", "main(x: float32 [4, 4]) -> float32 [4, 4]"},
    {"tvm027/sortetc",
     "main(x: float32 [3, 16]) -> (int32 [3, 16], float32 [3, 16], (float32 [3, 3], int64 [3, 3]), float32 "
     "[3, 16])"},
    {"tvm027/tirvars", "main(x: int64 [n], s: shape [m]) -> int64 [n]"},
    {"tvm027/transformer",
     "forward(ids: int32 [1, seq], qkv.weight: float32 [192, 64], o.weight: float32 [64, 64], ln.weight: "
     "float32 [64], ln.bias: float32 [64], up.weight: float32 [256, 64], up.bias: float32 [256], "
     "down.weight: float32 [64, 256], down.bias: float32 [64], rms.weight: float32 [64], emb.weight: float32 "
     "[100, 64]) -> float32 [1, seq, 64]"},
    {"tvm027/tuples",
     "main(x: float32 [4, 6], t: (float32 [4, 6], float32 [4, 6])) -> (float32 [4, 6], (float32 [4, 3], "
     "float32 [4, 3]), float32 [4, 6])"},
    {"tvm027/vdev", "main(x: float32 [2, 3]) -> float32 [2, 3]"},
    {"tvm027/workspace",
     "main(x: float32 [1, 8, 64, 64], w: float32 [8, 8, 3, 3]) -> float32 [1, 8, 64, 64]"},
    {"tvm027/tiny_llama",
     "create_cache(max_batch_size: shape [max_batch_size], max_total_seq_len: shape [max_total_seq_len], "
     "prefill_chunk_size: shape [prefill_chunk_size], page_size: shape [page_size], support_sliding_window: "
     "shape [support_sliding_window])"},
    {"tvm027/tiny_llama",
     "decode(x: float32 [1, 1, 64], cache: object, packed_params: (float32 [256, 64], float32 [128, 64], "
     "float32 [64, 64], float32 [320, 64], float32 [64, 160], float32 [64], float32 [64], float32 [128, 64], "
     "float32 [64, 64], float32 [320, 64], float32 [64, 160], float32 [64], float32 [64], float32 [64], "
     "float32 [256, 64])) -> (float32 [1, 1, 256], object)"},
    {"tvm027/tiny_llama",
     "embed(ids: int32 [n], packed_params: (float32 [256, 64], float32 [128, 64], float32 [64, 64], float32 "
     "[320, 64], float32 [64, 160], float32 [64], float32 [64], float32 [128, 64], float32 [64, 64], float32 "
     "[320, 64], float32 [64, 160], float32 [64], float32 [64], float32 [64], float32 [256, 64])) -> float32 "
     "[n, 64]"},
    {"tvm027/tiny_llama",
     "prefill(x: float32 [1, n, 64], cache: object, packed_params: (float32 [256, 64], float32 [128, 64], "
     "float32 [64, 64], float32 [320, 64], float32 [64, 160], float32 [64], float32 [64], float32 [128, 64], "
     "float32 [64, 64], float32 [320, 64], float32 [64, 160], float32 [64], float32 [64], float32 [64], "
     "float32 [256, 64])) -> (float32 [1, 1, 256], object)"},
};

ExecutableFile read(std::string_view fixture) {
  auto file = readExecutableFile(test::fixturePath(fixture));
  EXPECT_TRUE(file) << (file ? "" : base::formatError(file.error()));
  return file ? std::move(*file) : ExecutableFile{};
}

Signature signatureOf(std::string_view fixture, std::string_view function) {
  const ExecutableFile file = read(fixture);
  return inferSignature(file, findFunction(*file.data, function));
}

// One function `main` of three arguments: check_tensor_info(a, 2, float32) and match_shape(a, heap, [slot 0,
// slot 1]); match_shape(b, heap, [slot 1, 5, anything]); check_tuple_info(c, 2); constants as given.
class HandMade {
 public:
  HandMade& text(std::string_view text) {
    m_texts.emplace_back(text);
    return *this;
  }

  Signature infer() const {
    test::ExecutableWriter writer;
    writer.header().count(4).function(1, "main", 0, 5, 3, 4);
    for (const char* name :
         {"vm.builtin.check_tensor_info", "vm.builtin.match_shape", "vm.builtin.check_tuple_info"}) {
      writer.function(0, name, 0, 0, -2, 0);
    }
    writer.count(0).count(1 + m_texts.size());
    writer.number(std::int32_t{5}).number(std::uint8_t{2}).number(std::uint8_t{32}).number(std::uint16_t{1});
    for (const std::string& text : m_texts) {
      writer.number(std::int32_t{65}).text(text);
    }
    const std::int64_t imm = std::int64_t{1} << 56;
    const std::int64_t type = std::int64_t{2} << 56;
    std::vector<std::vector<std::int64_t>> code = {
        {1, kVoidRegister, 1, 3, 0, imm | 2, type},
        {1, kVoidRegister, 2, 7, 0, 3, imm | 2, imm | 1, imm | 0, imm | 1, imm | 1},
        {1, kVoidRegister, 2, 9, 1, 3, imm | 3, imm | 3, imm | 1, imm | 0, imm | 5, imm | 2, imm | 0},
        {1, kVoidRegister, 3, 2, 2, imm | 2},
        {2, 0}};
    writer.count(code.size());
    std::int64_t words = 0;
    for (const auto& instruction : code) {
      writer.word(words);
      words += static_cast<std::int64_t>(instruction.size());
    }
    writer.count(static_cast<std::uint64_t>(words));
    for (const auto& instruction : code) {
      for (const std::int64_t word : instruction) {
        writer.word(word);
      }
    }
    const auto data = decodeExecutable(writer.bytes(), "hand made");
    EXPECT_TRUE(data) << (data ? "" : base::formatError(data.error()));
    return data ? inferSignature(**data, 0) : Signature{};
  }

 private:
  std::vector<std::string> m_texts;
};

}  // namespace

TEST(Signature, WithoutTextsNamesDimensionsByHeapSlot) {
  const Signature signature = HandMade().infer();
  EXPECT_EQ(
      describeSignature(signature),
      "main(arg0: float32 [s0, s1], arg1: tensor [s1, 5, s2], arg2: (object, object)) -> float32 [s0, s1]");
  EXPECT_EQ(signature.freeDimensions, (std::vector<std::string>{"s0", "s1", "s2"}));
}

TEST(Signature, TextsNameSlotsForAllParameters) {
  const Signature signature = HandMade()
                                  .text(
                                      "ErrorContext(fn=main, loc=param[0], param=a, "
                                      "annotation=R.Tensor((rows, s2), dtype=\"float32\")) ")
                                  .infer();
  EXPECT_EQ(
      describeSignature(signature),
      "main(a: float32 [rows, s2], arg1: tensor [s2, 5, s2_], arg2: (object, object)) -> float32 [rows, s2]");
}

TEST(Signature, BytecodeGoesBeforeTexts) {
  const Signature signature =
      HandMade()
          .text(
              "ErrorContext(fn=main, loc=param[0], param=a, annotation=R.Tensor((n, 3, 4), dtype=\"int8\"))")
          .text(
              "ErrorContext(fn=main, loc=param[1], param=b, annotation=R.Tensor((m, 7, k), dtype=\"int64\"))")
          .text(
              "ErrorContext(fn=main, loc=param[2], param=c, annotation=R.Tuple(R.Shape([k]), "
              "R.Prim(\"int64\")))")
          .text("ErrorContext(fn=main, loc=param[3], param=d, annotation=R.Object)")
          .text("ErrorContext(fn=other, loc=param[0], param=z, annotation=R.Object)")
          .text("ErrorContext(fn=main, loc=return, annotation=R.Tensor((")
          .infer();
  EXPECT_EQ(describeSignature(signature),
            "main(a: float32 [s0, m], b: int64 [m, 5, k], c: (shape [k], scalar int64)) -> float32 [s0, m]");
}

TEST(Signature, OfEveryFixture) {
  std::map<std::string, std::vector<std::string>> expected;
  for (const Expected& entry : kExpected) {
    expected[entry.fixture].push_back(entry.signature);
  }
  for (const std::string& fixture : test::allFixtures()) {
    const ExecutableFile file = read(fixture);
    ASSERT_TRUE(file.data) << fixture;
    std::vector<std::string> found;
    for (std::size_t index = 0; index < file.data->functions.size(); ++index) {
      if (file.data->functions[index].kind != FunctionKind::Packed) {
        found.push_back(describeSignature(inferSignature(file, static_cast<std::int64_t>(index))));
      }
    }
    EXPECT_EQ(found, expected[fixture]) << fixture;
  }
}

TEST(Signature, ListsFreeDimensionsInOrder) {
  const Signature signature = signatureOf("tvm027/misc", "main");
  EXPECT_EQ(signature.freeDimensions, (std::vector<std::string>{"n", "k"}));
  EXPECT_TRUE(signature.resultKnown);
  EXPECT_TRUE(signature.result.members.at(0).dimensions.at(0).isExpression);
  EXPECT_EQ(signature.parameters.at(0).annotation, "R.Tensor((n, 4), dtype=\"float32\")");
}

TEST(Signature, OfAKernelComesFromTheLibrary) {
  EXPECT_EQ(describeSignature(signatureOf("tvm027/closure", "add")),
            "add(x1: float32 [2, 3], c1: float32 [2, 3], T_add: float32 [2, 3])");
  EXPECT_EQ(describeSignature(signatureOf("tvm027/closure", "vm.builtin.match_shape")),
            "vm.builtin.match_shape()");
}

TEST(Signature, OfNoFunctionIsEmpty) {
  const ExecutableFile file = read("tvm027/chain");
  EXPECT_TRUE(inferSignature(file, -1).parameters.empty());
  EXPECT_TRUE(inferSignature(file, 1000).parameters.empty());
}

}  // namespace opscope::vm
