// SPDX-License-Identifier: Apache-2.0
#include "engine/session/input_spec.h"

#include <gtest/gtest.h>

namespace opscope::session {
namespace {

using Kind = InputSpec::Kind;

InputSpec parsed(const std::string& text) {
  const auto spec = parseInputSpec(text);
  EXPECT_TRUE(spec) << text << ": " << (spec ? "" : spec.error().detail);
  return spec.value_or(InputSpec{});
}

std::string detailOf(const std::string& text) {
  const auto spec = parseInputSpec(text);
  EXPECT_FALSE(spec) << text;
  return spec ? "no error" : spec.error().detail;
}

TEST(InputSpec, Kinds) {
  EXPECT_EQ(parsed("random").kind, Kind::Random);
  EXPECT_EQ(parsed("random").words, "random:0");
  EXPECT_EQ(parsed("random:18446744073709551615").seed, 18446744073709551615u);
  const InputSpec ranged = parsed("random:3:-1.5:2e3");
  EXPECT_EQ(ranged.range->first.floating, -1.5);
  EXPECT_EQ(ranged.range->second.integer, 2000);
  EXPECT_EQ(parsed("zeros").kind, Kind::Zeros);
  EXPECT_EQ(parsed("ones").kind, Kind::Ones);
  EXPECT_EQ(parsed("range").kind, Kind::Range);
  EXPECT_EQ(parsed("const:3.5").constant.floating, 3.5);
  EXPECT_FALSE(parsed("const:3.5").constant.integer);
  EXPECT_EQ(parsed("const:true").constant.integer, 1);
}

TEST(InputSpec, Files) {
  const InputSpec npy = parsed("@dir/in.npy");
  EXPECT_EQ(npy.kind, Kind::File);
  EXPECT_EQ(npy.file, "dir/in.npy");
  const InputSpec npz = parsed("@a.npz:in/0:b.npz:c");
  EXPECT_EQ(npz.file, "a.npz");
  EXPECT_EQ(npz.key, "in/0:b.npz:c");
  EXPECT_EQ(parsed("2x3:float32:@a:b.npy").file, "a:b.npy");
}

TEST(InputSpec, ShapeAndTypeInFront) {
  const InputSpec full = parsed("1x3x224x224:float32:random:7");
  EXPECT_EQ(*full.shape, (std::vector<std::int64_t>{1, 3, 224, 224}));
  EXPECT_EQ(arrays::elementTypeName(*full.type), "float32");
  EXPECT_EQ(full.seed, 7u);
  EXPECT_EQ(full.words, "random:7");
  EXPECT_EQ(*parsed("16:range").shape, (std::vector<std::int64_t>{16}));
  EXPECT_TRUE(parsed("scalar:int64:const:3").shape->empty());
  EXPECT_FALSE(parsed("2x3").kindGiven);
  EXPECT_FALSE(parsed("2x3:bool").kindGiven);
  EXPECT_EQ(arrays::elementTypeName(*parsed("bfloat16:ones").type), "bfloat16");
}

TEST(InputSpec, MistakesSayWhatMayStandThere) {
  EXPECT_EQ(detailOf(""), "It says no value.");
  EXPECT_EQ(detailOf("2x3:"), "It says no value.");
  EXPECT_EQ(detailOf("randm"), "\"randm\" is neither a kind of value, nor a shape, nor an element type.");
  EXPECT_EQ(detailOf("2x-3:random"),
            "\"2x-3\" is neither a kind of value, nor a shape, nor an element type.");
  EXPECT_EQ(detailOf("2x3:float33:random"),
            "\"float33\" is neither a kind of value, nor a shape, nor an element type.");
  EXPECT_EQ(detailOf("random:x"), "The seed is a whole number from 0 on. Given is \"x\".");
  EXPECT_EQ(detailOf("random:"), "The seed is a whole number from 0 on. Given is \"\".");
  EXPECT_EQ(detailOf("random:-1"), "The seed is a whole number from 0 on. Given is \"-1\".");
  EXPECT_EQ(detailOf("random:1:2"), "LO and HI are two numbers, as in random:0:-1:1.");
  EXPECT_EQ(detailOf("random:1:2:3:4"), "LO and HI are two numbers, as in random:0:-1:1.");
  EXPECT_EQ(detailOf("random:1:0:inf"), "LO and HI are two numbers, as in random:0:-1:1.");
  EXPECT_EQ(detailOf("random:1:3:2"), "LO (3) is more than HI (2).");
  EXPECT_EQ(detailOf("random:1:-1e308:1e308"), "LO and HI are too far apart.");
  EXPECT_EQ(detailOf("const:"), "After const: comes a number. Given is \"\".");
  EXPECT_EQ(detailOf("const:3.5.1"), "After const: comes a number. Given is \"3.5.1\".");
  EXPECT_EQ(detailOf("zeros:1"), "Nothing may follow zeros.");
  EXPECT_EQ(detailOf("@"), "After @ comes the name of a file.");
  EXPECT_EQ(detailOf("@a.npz"), "An .npz file holds several arrays. Name one: @a.npz:KEY.");
  EXPECT_EQ(detailOf("@a.npz:"), "An .npz file holds several arrays. Name one: @a.npz:KEY.");
  EXPECT_EQ(detailOf("9223372036854775807x4:zeros"),
            "The shape [9223372036854775807, 4] has more elements than any memory.");
  EXPECT_EQ(detailOf("99999999999999999999:zeros"),
            "\"99999999999999999999\" is neither a kind of value, nor a shape, nor an element type.");
  EXPECT_EQ(parseInputSpec("nonsense").error().message, "The value \"nonsense\" is not understood.");
}

TEST(InputSpec, Assignments) {
  EXPECT_EQ(parseInputAssignment("x=@a=b.npy").value(),
            (std::pair<std::string, std::string>{"x", "@a=b.npy"}));
  EXPECT_FALSE(parseInputAssignment("x"));
  EXPECT_FALSE(parseInputAssignment("=random"));
  EXPECT_EQ(parseDimensionAssignment("n=8").value(), (std::pair<std::string, std::int64_t>{"n", 8}));
  EXPECT_EQ(parseDimensionAssignment("n=0").error().message, "n must be at least 1.");
  for (const char* bad : {"n", "=8", "n=", "n=8x", "n=1.5", "n=99999999999999999999"}) {
    EXPECT_FALSE(parseDimensionAssignment(bad)) << bad;
  }
}

}  // namespace
}  // namespace opscope::session
