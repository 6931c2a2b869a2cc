// SPDX-License-Identifier: Apache-2.0
// What is said of files that hold no measurements: what they seem to be, what was expected, what to do.
#include <gtest/gtest.h>

#include "engine/report/document_reader.h"

namespace opscope::report {
namespace {

base::Error errorOf(std::string_view text) {
  const auto document = documentFromText(text, "f");
  EXPECT_FALSE(document) << text;
  return document ? base::Error{} : document.error();
}

struct Case {
  const char* name;
  std::string text;
  std::string message;
  std::string detail;  ///< a part of it
  std::string hint;    ///< a part of it
};

class UnknownDocument : public ::testing::TestWithParam<Case> {};

TEST_P(UnknownDocument, IsToldByWhatItSeemsToBe) {
  const base::Error error = errorOf(GetParam().text);
  EXPECT_EQ(error.code, base::ErrorCode::Format);
  EXPECT_EQ(error.message, GetParam().message);
  EXPECT_NE(error.detail.find(GetParam().detail), std::string::npos) << error.detail;
  EXPECT_NE(error.hint.find(GetParam().hint), std::string::npos) << error.hint;
}

const std::string kElf = std::string("\x7f") + "ELF" + std::string(60, '\0');
const Case kCases[] = {
    {"Library", kElf, "f is a library or program (ELF), not a file of measurements",
     "Expected a report of TVM", "opscope-cli profile FILE"},
    {"SessionFile", std::string("SQLite format 3") + std::string(90, '\0'),
     "f is a session file or a store of runs, not a file of measurements", "session file",
     "opscope FILE opens"},
    {"Archive", "PK\x03\x04 abc", "f is a zip archive, as .npz files are, not a file of measurements", "",
     "--inputs FILE"},
    {"Binary", std::string("ab\0cd", 5), "f is binary data, not a file of measurements", "Expected",
     "--samples"},
    {"Empty", "", "f is empty", "Expected", "again"},
    {"Blank", " \n ", "f is empty", "Expected", "again"},
    {"Words", "some notes\nof mine", "f is text, not a file of measurements",
     "It begins with \"some notes\".", "opscope-cli profile"},
    {"CsvCutInItsTitles", "Name,Durat", "f seems to be CSV that is cut off", "within its first line",
     "copy it again"},
    {"OtherCsv", "x,y\n1,2\n", "f seems to be CSV, but not of a TVM report", "Its first line is \"x,y\"",
     "profile --csv FILE"},
    {"OtherJson", R"({"a":1,"b":2})", "f is JSON of another kind, not a file of measurements",
     R"(Its keys are "a", "b"; a report of TVM has an array "calls".)", "opscope-cli profile"},
    {"CallsOfSomethingElse", R"({"calls":5})", "f is JSON of another kind, not a file of measurements",
     R"(Its keys are "calls"; a report of TVM has an array)", "opscope-cli profile"},
    {"ManyKeys", R"({"a":1,"b":2,"c":3,"d":4,"e":5,"g":6})",
     "f is JSON of another kind, not a file of measurements", R"("e" and others;)", ""},
    {"NoKeys", "{}", "f is JSON of another kind, not a file of measurements", "It holds nothing.", ""},
    {"OtherSchema", R"({"schema":"opscope.compare/1","ops":[]})",
     "f is JSON of another kind, not a file of measurements", "It says that it is \"opscope.compare/1\".",
     ""},
    {"Array", "[]", "f is JSON, not a file of measurements", "At its top it has an array.", ""},
    {"CutJson", R"({"calls":[{"Name":{"string":"co)",
     "f cannot be read: its JSON is broken at line 1, column 31, in "
     "calls[0].Name.string",
     "", "The file may be cut off"},
};
INSTANTIATE_TEST_SUITE_P(Kinds, UnknownDocument, ::testing::ValuesIn(kCases),
                         [](const auto& one) { return one.param.name; });

TEST(UnknownDocumentOfTvm, KeepsTheWordsOfItsReader) {
  EXPECT_EQ(errorOf(R"({"calls":[3]})").message, "f is not a TVM report: calls[0] is wrong");
}

TEST(UnknownDocumentOfTvm, CsvThatIsCutOffIsToldAsSuch) {
  const std::string csv = "Name,Duration (us),Count\n\"conv\",3.5,1\n\"relu\",1.";
  EXPECT_NE(errorOf(csv).hint.find("it is cut off"), std::string::npos);
  EXPECT_EQ(errorOf(csv + "5,x\n\"relu\",1.5,1\n").hint, "") << "a wrong row within the file is no cut";
}

}  // namespace
}  // namespace opscope::report
