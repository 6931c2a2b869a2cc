// SPDX-License-Identifier: Apache-2.0
// Against numpy itself, in the environment that packaging/test.sh makes for peers.
#include <sys/wait.h>

#include <cstdlib>

#include "engine/arrays/npy.h"
#include "engine/arrays/npz.h"
#include "tests/arrays/fixtures.h"

namespace opscope::arrays {
namespace {

const std::string kPython = OPSCOPE_TVM_PYTHON;

int runPeer(const std::string& task, const TemporaryFolder& folder) {
  const std::string command = "'" + kPython + "' '" OPSCOPE_SOURCE_DIR "/tests/arrays/peer_check.py' " +
                              task + " '" + folder.path().string() + "'";
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(ArraysPeer, NumpyAgreesBothWays) {
  ASSERT_TRUE(std::filesystem::exists(kPython))
      << "The environment of the peers is missing: " << kPython << ". packaging/test.sh makes it.";
  TemporaryFolder folder;
  ASSERT_EQ(runPeer("write", folder), 0);
  const auto stored = NpzReader::open(folder / "stored.npz");
  const auto deflated = NpzReader::open(folder / "deflated.npz");
  ASSERT_TRUE(stored && deflated);
  std::vector<NamedArray> all;
  for (const std::string& key : stored->keys()) {
    SCOPED_TRACE(key);
    const std::string number = key.substr(4);
    const auto array = readNpy(folder / (number + ".npy"));
    ASSERT_TRUE(array) << array.error().message << array.error().detail;
    const std::string raw = contentOf(folder / (number + ".raw"));
    ASSERT_EQ(raw, std::string(reinterpret_cast<const char*>(array->data()), array->byteSize()));
    for (const NpzReader* reader : {&*stored, &*deflated}) {
      const auto same = reader->read(key);
      ASSERT_TRUE(same) << same.error().message;
      ASSERT_EQ(hexOf(*same), hexOf(*array));
      ASSERT_EQ(describeArray(*same), describeArray(*array));
    }
    ASSERT_TRUE(writeNpy(folder / ("ours_" + number + ".npy"), *array));
    all.push_back({key, *array});
  }
  EXPECT_EQ(all.size(), 12u * 9 * 4);
  ASSERT_TRUE(writeNpz(folder / "ours_stored.npz", all));
  ASSERT_TRUE(writeNpz(folder / "ours_deflated.npz", all, NpzCompression::Deflated));
  EXPECT_EQ(runPeer("check", folder), 0);
}

}  // namespace
}  // namespace opscope::arrays
