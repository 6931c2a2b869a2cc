// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "engine/arrays/npy.h"
#include "engine/arrays/npz.h"
#include "engine/base/log.h"
#include "engine/session/input_spec.h"
#include "tests/arrays/fixtures.h"
#include "tests/session/signatures.h"

namespace opscope::session {
namespace {

using arrays::Array;
using vm::ParameterKind;

const arrays::ElementType kFloat32 = *arrays::elementTypeFromName("float32");
const arrays::ElementType kFloat64 = *arrays::elementTypeFromName("float64");
const arrays::ElementType kInt64 = *arrays::elementTypeFromName("int64");

Array zeros(arrays::ElementType type, std::vector<std::int64_t> shape) {
  const std::string bytes(*arrays::byteCount(type, shape), '\0');
  return *Array::copyOf(type, std::move(shape), bytes.data(), bytes.size());
}

ResolvedInputs resolved(const InputPlan& plan, const vm::Signature& signature) {
  auto inputs = resolveInputs(plan, signature);
  EXPECT_TRUE(inputs) << (inputs ? "" : inputs.error().message + " " + inputs.error().detail);
  return inputs ? std::move(*inputs) : ResolvedInputs{};
}

/// Message, detail and hint in one line.
std::string problemOf(const InputPlan& plan, const vm::Signature& signature) {
  const auto inputs = resolveInputs(plan, signature);
  if (inputs) {
    return "no error";
  }
  return inputs.error().message + " | " + inputs.error().detail + " | " + inputs.error().hint;
}

InputPlan planOf(std::map<std::string, std::string> values, std::map<std::string, std::int64_t> sizes = {}) {
  InputPlan plan;
  plan.values = std::move(values);
  plan.dimensions = std::move(sizes);
  return plan;
}

const vm::Signature kTwo =
    signatureOf({tensor("input_ids", "float32", {"n", "3"}), tensor("mask", "int64", {"n"})}, {"n"});

TEST(ResolveInputs, NothingGivenIsRandomByPosition) {
  const auto signature =
      signatureOf({tensor("x", "float32", {"2", "3"}), tensor("y", "float32", {"2", "3"})});
  const ResolvedInputs inputs = resolved({}, signature);
  ASSERT_EQ(inputs.arguments.size(), 2u);
  const auto& x = std::get<Array>(inputs.arguments[0].value);
  const auto& y = std::get<Array>(inputs.arguments[1].value);
  EXPECT_EQ(arrays::describeArray(x), "float32 [2, 3]");
  EXPECT_NE(arrays::hexOf(x), arrays::hexOf(y));
  EXPECT_EQ(inputs.description, "x float32 [2, 3] random:0; y float32 [2, 3] random:0");
  EXPECT_EQ(arrays::hexOf(std::get<Array>(resolved({}, signature).arguments[0].value)), arrays::hexOf(x));
  const auto seeded = resolved(planOf({{"x", "random:1"}}), signature);
  EXPECT_EQ(arrays::hexOf(std::get<Array>(seeded.arguments[0].value)), arrays::hexOf(y));
}

TEST(ResolveInputs, FreeDimensionsNeedASize) {
  EXPECT_EQ(
      problemOf({}, kTwo),
      "The free dimension n has no size. | main does not fix it. | Give a size, as in --dim n=1, or an input "
      "with a shape.");
  EXPECT_EQ(missingDimensions({}, kTwo), (std::vector<std::string>{"n"}));
  EXPECT_EQ(defaultDimensions(kTwo), (std::map<std::string, std::int64_t>{{"n", 1}}));
  const ResolvedInputs inputs = resolved(planOf({}, {{"n", 8}}), kTwo);
  EXPECT_EQ(inputs.description, "input_ids float32 [8, 3] random:0; mask int64 [8] random:0; n = 8");
  EXPECT_EQ(inputs.dimensions.at("n"), 8);
  // The shape of one input gives the size of the other.
  EXPECT_EQ(resolved(planOf({{"mask", "5:ones"}}), kTwo).description,
            "input_ids float32 [5, 3] random:0; mask int64 [5] ones; n = 5");
  EXPECT_TRUE(missingDimensions(planOf({{"mask", "5:ones"}}), kTwo).empty());
}

TEST(ResolveInputs, SizesThatContradict) {
  EXPECT_EQ(
      problemOf(planOf({{"mask", "5:ones"}, {"0", "4x3:zeros"}}), kTwo),
      "Input mask does not fit. | Needs int64 [4]. The value is int64 [5]. | The free dimension n is 4 in "
      "input_ids and 5 in mask.");
  EXPECT_EQ(
      problemOf(planOf({{"mask", "5:ones"}}, {{"n", 8}}), kTwo),
      "Input mask does not fit. | Needs int64 [8]. The value is int64 [5]. | The free dimension n is 8 as "
      "given and 5 in mask.");
  EXPECT_EQ(problemOf(planOf({}, {{"n", 0}}), kTwo), "n must be at least 1. | Given is 0. | ");
  EXPECT_EQ(problemOf(planOf({}, {{"m", 2}}), kTwo), "main has no free dimension \"m\". | It has n. | ");
  EXPECT_EQ(problemOf(planOf({}, {{"m", 2}}), signatureOf({})),
            "main has no free dimension \"m\". | All of its dimensions are fixed. | ");
}

TEST(ResolveInputs, UnknownAndRepeatedNames) {
  EXPECT_EQ(problemOf(planOf({{"input_id", "random"}}), kTwo),
            "main has no input \"input_id\". | It takes input_ids and mask. | Did you mean \"input_ids\"?");
  EXPECT_EQ(problemOf(planOf({{"2", "random"}}), kTwo),
            "main has no input \"2\". | It takes input_ids and mask. | ");
  EXPECT_EQ(problemOf(planOf({{"1", "random"}, {"mask", "random"}}), kTwo),
            "Input mask is given twice. | \"1\" and \"mask\" are the same input. | ");
  EXPECT_EQ(problemOf(planOf({{"x", "random"}}), signatureOf({})),
            "main has no input \"x\". | It takes no inputs. | ");
}

TEST(ResolveInputs, TypesAndShapesInWords) {
  const auto signature = signatureOf({tensor("x", "float32", {"1", "43844", "1"})});
  EXPECT_EQ(problemOf(planOf({{"x", "1x44100x1:float64:random"}}), signature),
            "Input x does not fit. | Needs float32 [1, 43844, 1]. The value is float64 [1, 44100, 1]. | ");
  EXPECT_EQ(problemOf(planOf({{"x", "int8:zeros"}}), signature),
            "Input x does not fit. | Needs float32 [1, 43844, 1]. The value is int8. | ");
  EXPECT_EQ(problemOf(planOf({{"x", "4:zeros"}}), signature),
            "Input x does not fit. | Needs float32 [1, 43844, 1]. The value is float32 [4]. | ");
  EXPECT_EQ(problemOf(planOf({{"x", "zero"}}), signature).substr(0, 49),
            "Input x: The value \"zero\" is not understood. | \"z");
  EXPECT_EQ(problemOf(planOf({{"x", "const:300"}}), signatureOf({tensor("x", "int8", {"2"})})),
            "Input x does not fit. | int8 holds whole numbers from -128 to 127. Given is 300. | ");
}

TEST(ResolveInputs, Files) {
  arrays::TemporaryFolder folder;
  const std::string npy = (folder / "in.npy").string();
  const std::string npz = (folder / "in.npz").string();
  ASSERT_TRUE(arrays::writeNpy(npy, zeros(kFloat64, {1, 44100, 1})));
  ASSERT_TRUE(arrays::writeNpz(npz, {{"a:b", zeros(kFloat32, {4, 3})}, {"mask", zeros(kInt64, {4})}}));
  const auto signature = signatureOf({tensor("x", "float32", {"1", "43844", "1"})});
  EXPECT_EQ(problemOf(planOf({{"x", "@" + npy}}), signature),
            "Input x does not fit. | Needs float32 [1, 43844, 1]. The file " + npy +
                " has float64 [1, 44100, 1]. | ");
  const auto inputs =
      resolved(planOf({{"input_ids", "@" + npz + ":a:b"}, {"mask", "@" + npz + ":mask"}}), kTwo);
  EXPECT_EQ(inputs.dimensions.at("n"), 4);
  EXPECT_EQ(inputs.description,
            "input_ids float32 [4, 3] @" + npz + ":a:b; mask int64 [4] @" + npz + ":mask; n = 4");
  EXPECT_EQ(problemOf(planOf({{"mask", "@" + npz + ":maks"}}), kTwo),
            "Input mask: " + npz + " holds no array \"maks\". | It holds a:b and mask. | ");
  EXPECT_EQ(problemOf(planOf({{"mask", "@" + npz + ":a:b"}}, {{"n", 4}}), kTwo),
            "Input mask does not fit. | Needs int64 [4]. The file " + npz + " has float32 [4, 3]. | ");
  EXPECT_NE(problemOf(planOf({{"mask", "@none.npy"}}), kTwo).find("Input mask: Cannot read none.npy"),
            std::string::npos);
}

TEST(ResolveInputs, ArraysFile) {
  arrays::TemporaryFolder folder;
  InputPlan plan;
  plan.arraysFile = (folder / "in.npz").string();
  ASSERT_TRUE(arrays::writeNpz(
      plan.arraysFile,
      {{"input_ids", zeros(kFloat32, {4, 3})}, {"arg1", zeros(kInt64, {4})}, {"out", zeros(kInt64, {1})}}));
  EXPECT_EQ(resolved(plan, kTwo).dimensions.at("n"), 4);
  // A value given by name goes before the file's.
  plan.values = {{"mask", "4:ones"}};
  EXPECT_NE(resolved(plan, kTwo).description.find("mask int64 [4] ones"), std::string::npos);
  plan.values.clear();
  ASSERT_TRUE(arrays::writeNpz(plan.arraysFile,
                               {{"input_ids", zeros(kFloat32, {4, 3})}, {"maks", zeros(kInt64, {4})}}));
  EXPECT_EQ(problemOf(plan, kTwo),
            plan.arraysFile +
                " holds an array that is no input of main: maks. | No array is there for mask. | "
                "Arrays are named as the parameters, or arg0, arg1 and so on.");
  // Without strangers the rest stays random.
  ASSERT_TRUE(arrays::writeNpz(plan.arraysFile, {{"input_ids", zeros(kFloat32, {4, 3})}}));
  EXPECT_NE(resolved(plan, kTwo).description.find("mask int64 [4] random:0"), std::string::npos);
}

TEST(ResolveInputs, ShapesScalarsTextsAndTuples) {
  const auto signature = signatureOf(
      {tensor("x", "float32", {"n", "n * 2"}), shape("s", {"m", "4"}), scalar("k", "int64"),
       scalar("f", "float32"), scalar("b", "bool"), scalar("free", ""), ofKind("text", ParameterKind::String),
       ofKind("pair", ParameterKind::Tuple, {tensor("", "float32", {"n"}), tensor("", "int64", {"2"})})},
      {"n", "m"});
  const auto inputs = resolved(
      planOf({{"s", "5x4"}, {"k", "const:7"}, {"free", "const:2.5"}, {"text", "random"}, {"pair/1", "range"}},
             {{"n", 3}}),
      signature);
  ASSERT_EQ(inputs.arguments.size(), 8u);
  EXPECT_EQ(inputs.dimensions, (std::map<std::string, std::int64_t>{{"m", 5}, {"n", 3}}));
  EXPECT_EQ(describeInputValue(inputs.arguments[0]), "float32 [3, 6]");
  EXPECT_EQ(describeInputValue(inputs.arguments[1]), "shape [5, 4]");
  EXPECT_EQ(std::get<std::int64_t>(inputs.arguments[2].value), 7);
  EXPECT_GE(std::get<double>(inputs.arguments[3].value), 0.0);
  EXPECT_TRUE(std::holds_alternative<bool>(inputs.arguments[4].value));
  EXPECT_EQ(std::get<double>(inputs.arguments[5].value), 2.5);
  EXPECT_EQ(std::get<std::string>(inputs.arguments[6].value), "random");
  EXPECT_EQ(describeInputValue(inputs.arguments[7]), "(float32 [3], int64 [2])");
  EXPECT_NE(inputs.description.find("s shape [5, 4]; k int 7 const:7"), std::string::npos)
      << inputs.description;
  EXPECT_NE(inputs.description.find("pair (float32 [3], int64 [2]) random:0 and range"), std::string::npos);
  // A shape parameter is made from sizes too.
  const auto made = resolved(planOf({{"free", "const:1"}, {"text", "a"}}, {{"n", 3}, {"m", 9}}), signature);
  EXPECT_EQ(describeInputValue(made.arguments[1]), "shape [9, 4]");
}

TEST(ResolveInputs, WhatTheExecutableDoesNotTell) {
  vm::Parameter loose = tensor("loose", "float32", {});
  loose.rankKnown = false;
  const auto signature = signatureOf({loose, ofKind("any", ParameterKind::Opaque)});
  EXPECT_EQ(problemOf({}, signature),
            "Input loose needs a value. | Needs float32 of any shape. | Put shape and type in front "
            "(loose=1x3:float32:random), or take it from a file.");
  EXPECT_EQ(problemOf(planOf({{"loose", "2x2:random"}}), signature),
            "Input any needs a value. | Needs an object that the executable does not describe. | Put shape "
            "and type "
            "in front (any=1x3:float32:random), or take it from a file.");
  EXPECT_EQ(resolved(planOf({{"loose", "2x2:random"}, {"any", "4:int8:ones"}}), signature).description,
            "loose float32 [2, 2] random:0; any int8 [4] ones");
  const auto odd =
      signatureOf({tensor("x", "float32", {"T.ceildiv(n, 2)"}), tensor("y", "float32", {"n"})}, {"n"});
  EXPECT_EQ(problemOf(planOf({}, {{"n", 3}}), odd),
            "The dimension \"T.ceildiv(n, 2)\" of input x cannot be worked out. | Needs float32 "
            "[T.ceildiv(n, 2)]. | "
            "Put the shape in front, for example x=1x3:random.");
  EXPECT_EQ(resolved(planOf({{"x", "2:random"}}, {{"n", 3}}), odd).arguments.size(), 2u);
}

TEST(ResolveInputs, AnArraysFileWithoutInputsIsNoReasonForRandomValues) {
  arrays::TemporaryFolder folder;
  const auto fixed = signatureOf({tensor("x", "float32", {"2"}), tensor("y", "float32", {"2"})});
  InputPlan plan;
  plan.arraysFile = (folder / "in.npz").string();
  ASSERT_TRUE(arrays::writeNpz(plan.arraysFile, {}));
  EXPECT_EQ(problemOf(plan, fixed), plan.arraysFile +
                                        " holds no array. | main takes x and y. | "
                                        "Arrays are named as the parameters, or arg0, arg1 and so on.");
  ASSERT_TRUE(arrays::writeNpz(plan.arraysFile, {{"X0", zeros(kFloat32, {2})}}));
  plan.values = {{"x", "zeros"}, {"y", "zeros"}};
  EXPECT_EQ(problemOf(plan, fixed),
            plan.arraysFile +
                " holds an array that is no input of main: X0. | main takes x and y. | "
                "Arrays are named as the parameters, or arg0, arg1 and so on.");
  EXPECT_NE(problemOf(plan, signatureOf({})).find("It takes no inputs."), std::string::npos);
  // What stands beside the inputs is told and does no harm.
  plan.values.clear();
  ASSERT_TRUE(arrays::writeNpz(
      plan.arraysFile,
      {{"x", zeros(kFloat32, {2})}, {"arg1", zeros(kFloat32, {2})}, {"expected", zeros(kFloat32, {2})}}));
  ::testing::internal::CaptureStderr();
  base::configureLog(false);
  EXPECT_EQ(resolved(plan, fixed).arguments.size(), 2u);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("no input of main: expected. They are not used."),
            std::string::npos);
}

TEST(ResolveInputs, TuplesFromFiles) {
  arrays::TemporaryFolder folder;
  const std::string npz = (folder / "p.npz").string();
  ASSERT_TRUE(arrays::writeNpz(npz, {{"p/0", zeros(kFloat32, {2})},
                                     {"p/1/0", zeros(kInt64, {1})},
                                     {"q/0", zeros(kInt64, {7})},
                                     {"q/1", zeros(kInt64, {8})}}));
  const auto signature = signatureOf(
      {ofKind("p", ParameterKind::Tuple,
              {tensor("", "float32", {"2"}), ofKind("", ParameterKind::Tuple, {tensor("", "int64", {"1"})})}),
       ofKind("q", ParameterKind::Opaque)});
  InputPlan plan = planOf({{"p", "@" + npz + ":p"}, {"q", "@" + npz + ":q"}});
  const auto inputs = resolved(plan, signature);
  EXPECT_EQ(inputs.description,
            "p (float32 [2], (int64 [1])) @" + npz + "; q (int64 [7], int64 [8]) @" + npz + ":q");
  InputPlan whole;
  whole.arraysFile = npz;
  EXPECT_EQ(describeInputValue(resolved(whole, signature).arguments[1]), "(int64 [7], int64 [8])");
  EXPECT_EQ(problemOf(planOf({{"p", "2:zeros"}}), signature).substr(0, 28), "Input p is a tuple of 2. | A");
}

TEST(ResolveInputs, SizesBeyondMemory) {
  const auto signature = signatureOf({tensor("x", "float32", {"n", "n"})}, {"n"});
  const auto inputs = resolveInputs(planOf({}, {{"n", 3000000}}), signature);
  ASSERT_FALSE(inputs);
  EXPECT_EQ(inputs.error().code, base::ErrorCode::OutOfMemory);
  EXPECT_EQ(inputs.error().message, "There is no memory for the inputs.");
  EXPECT_EQ(problemOf(planOf({}, {{"n", 1LL << 62}}), signature).substr(0, 30),
            "Input x: The shape [4611686018");
}

TEST(CheckInputPlan, TellsEveryProblemAndOpensNoFile) {
  const auto problems = checkInputPlan(
      planOf({{"input_ids", "float64:zeros"}, {"mask", "@does-not-exist.npy"}, {"z", "ones"}}, {{"k", 1}}),
      kTwo);
  std::vector<std::string> names;
  for (const InputProblem& problem : problems) {
    names.push_back(problem.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"k", "z", "input_ids"}));
  EXPECT_TRUE(checkInputPlan(planOf({}, {{"n", 1}}), kTwo).empty());
  EXPECT_EQ(checkInputPlan({}, kTwo).front().name, "n");
}

TEST(ArrayListing, APipeIsNotWaitedFor) {
  arrays::TemporaryFolder folder;
  const std::string pipe = folder / "in.npy";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const ArrayListing listing = listArrays(pipe);  // nobody writes to it
  ASSERT_TRUE(listing.problem);
  EXPECT_EQ(listing.problem->message, "Cannot read " + pipe);
  EXPECT_TRUE(listing.arrays.empty());
}

TEST(CheckInputPlan, HoldsListedFilesAgainstTheSignature) {
  arrays::TemporaryFolder folder;
  const std::string npz = folder / "all.npz", npy = folder / "ids.npy";
  ASSERT_TRUE(arrays::writeNpz(npz, {{"wide", zeros(kFloat32, {4, 3})},
                                     {"mask", zeros(kInt64, {5})},
                                     {"double", zeros(kFloat64, {4, 3})}}));
  ASSERT_TRUE(arrays::writeNpy(npy, zeros(kFloat32, {4, 3})));
  const ArrayListings listings = {
      {npz, listArrays(npz)}, {npy, listArrays(npy)}, {"none.npy", listArrays("none.npy")}};
  EXPECT_TRUE(listings.at(npz).isArchive);
  EXPECT_FALSE(listings.at(npy).isArchive);
  EXPECT_EQ(describeListed(listings.at(npz).arrays[0]), "float32 [4, 3]");
  const auto told = [&](const std::string& ids, const std::string& mask,
                        std::map<std::string, std::int64_t> sizes) {
    std::string words;
    for (const InputProblem& problem :
         checkInputPlan(planOf({{"input_ids", ids}, {"mask", mask}}, std::move(sizes)), kTwo, listings)) {
      words += problem.name + ": " + problem.error.message + " " + problem.error.detail + " " +
               problem.error.hint + "\n";
    }
    return words;
  };
  EXPECT_EQ(told("@" + npy, "random", {}), "");
  EXPECT_EQ(told("@" + npz + ":wide", "random", {{"n", 4}}), "");
  EXPECT_EQ(told("@" + npz + ":wide", "@" + npz + ":mask", {}),
            "mask: Input mask does not fit. Needs int64 [4]. The file " + npz +
                " has int64 [5]. The free dimension n is 4 in input_ids and 5 in mask.\n");
  EXPECT_EQ(told("@" + npz + ":double", "random", {{"n", 4}}),
            "input_ids: Input input_ids does not fit. Needs float32 [4, 3]. The file " + npz +
                " has float64 [4, 3]. \n");
  EXPECT_EQ(told("@" + npz + ":wde", "random", {{"n", 4}}),
            "input_ids: Input input_ids: " + npz +
                " holds no array \"wde\". It holds wide, mask and double. Did you mean \"wide\"?\n");
  EXPECT_NE(told("@none.npy", "random", {{"n", 4}}).find("Cannot read none.npy"), std::string::npos);
  // What is not listed is left to the run.
  EXPECT_EQ(told("@other.npy", "random", {{"n", 4}}), "");
}

TEST(CheckArguments, HoldsValuesAgainstTheSignature) {
  const std::vector<InputValue> good = {{zeros(kFloat32, {4, 3})}, {zeros(kInt64, {4})}};
  EXPECT_TRUE(checkArguments(kTwo, good));
  EXPECT_TRUE(checkArguments(kTwo, {{StepResult{}}, {zeros(kInt64, {4})}}));
  const auto count = checkArguments(kTwo, {{zeros(kInt64, {4})}});
  ASSERT_FALSE(count);
  EXPECT_EQ(count.error().message + " " + count.error().detail, "main takes 2 inputs. Needs 2. Given are 1.");
  const auto contradicting = checkArguments(kTwo, {{zeros(kFloat32, {4, 3})}, {zeros(kInt64, {5})}});
  ASSERT_FALSE(contradicting);
  EXPECT_EQ(contradicting.error().detail, "Needs int64 [4]. The value has int64 [5].");
  const auto kind = checkArguments(kTwo, {{zeros(kFloat32, {4, 3})}, {std::int64_t{3}}});
  ASSERT_FALSE(kind);
  EXPECT_EQ(kind.error().detail, "Needs int64 [4]. The value is int 3.");
  const auto tuple = signatureOf({ofKind("p", ParameterKind::Tuple, {tensor("", "float32", {"2"})})});
  EXPECT_FALSE(checkArguments(tuple, {{zeros(kFloat32, {2})}}));
  EXPECT_TRUE(checkArguments(tuple, {{TupleValue{{{zeros(kFloat32, {2})}}}}}));
  EXPECT_FALSE(checkArguments(tuple, {{TupleValue{{{zeros(kFloat32, {3})}}}}}));
}

}  // namespace
}  // namespace opscope::session
