// SPDX-License-Identifier: Apache-2.0
// Handshake, secret, folders and uploads, each alone.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

#include "engine/rpc/protocol.h"
#include "engine/rpc/secret.h"
#include "engine/rpc/server/folder_remover.h"
#include "engine/rpc/server/handshake.h"
#include "engine/rpc/server/match_key.h"
#include "engine/rpc/server/upload_cache.h"
#include "engine/rpc/server/work_directory.h"
#include "engine/rpc/sha256.h"

namespace opscope::rpc::server {

namespace {

namespace fs = std::filesystem;

std::string hex(const Sha256Digest& digest) {
  std::string text;
  for (const std::uint8_t byte : digest) {
    text += fmt::format("{:02x}", byte);
  }
  return text;
}

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "opscope-parts-XXXXXX").string();
    m_path = ::mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(m_path); }
  const fs::path& path() const { return m_path; }

 private:
  fs::path m_path;
};

void write(const fs::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Vectors of FIPS 180-4's examples and RFC 4231.
TEST(Sha256, KnownDigests) {
  EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex(sha256(std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, KnownCodes) {
  EXPECT_EQ(hex(hmacSha256(std::string(20, '\x0b'), "Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hex(hmacSha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(
      hex(hmacSha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First")),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Secret, ProofsDependOnEverything) {
  const auto proof = [](std::string_view secret, Prover prover, std::string_view text, std::string_view own,
                        std::string_view other) { return secretProof(secret, prover, text, own, other); };
  const std::string base = proof("secret", Prover::Client, "client:k", "a", "b");
  EXPECT_EQ(base.size(), kProofDigits);
  EXPECT_EQ(base, hex(hmacSha256("secret", "opscope-rpc-1 client\nclient:k\na\nb")));
  EXPECT_NE(base, proof("secreT", Prover::Client, "client:k", "a", "b"));
  EXPECT_NE(base, proof("secret", Prover::Server, "client:k", "a", "b"));
  EXPECT_NE(base, proof("secret", Prover::Client, "client:j", "a", "b"));
  EXPECT_NE(base, proof("secret", Prover::Client, "client:k", "b", "a"));
  EXPECT_NE(makeNonce(), makeNonce());
  EXPECT_EQ(makeNonce().size(), kNonceDigits);
}

TEST(Secret, FileIsCheckedAndItsLineEndDropped) {
  const Folder folder;
  const fs::path file = folder.path() / "secret";
  write(file, "0123456789abcdef\r\n");
  ::chmod(file.c_str(), 0600);
  EXPECT_EQ(readSecret(file.string()).value(), "0123456789abcdef");
  ::chmod(file.c_str(), 0640);
  EXPECT_FALSE(readSecret(file.string()).has_value());
  ::chmod(file.c_str(), 0600);
  write(file, "0123456789abcde\n");
  EXPECT_FALSE(readSecret(file.string()).has_value());
  EXPECT_FALSE(readSecret((folder.path() / "none").string()).has_value());
}

TEST(Hello, KeysAndOptions) {
  const auto hello = parseHello("client:a:b  -timeout=2.5 -opscope-client=me -x=1");
  ASSERT_TRUE(hello.has_value());
  EXPECT_EQ(hello->key, "a:b");
  EXPECT_EQ(hello->timeoutS, 2.5);
  EXPECT_EQ(hello->holder, "me");
  EXPECT_EQ(parseHello("client:")->key, "");
  EXPECT_EQ(parseHello("client:k -timeout=-3")->timeoutS, 0);
  for (const char* wrong : {"", " ", "server:k", "client", "client:k -timeout=x", "client:k -timeout=1s",
                            "client:k -timeout=inf", "client:k -opscope-nonce=abc"}) {
    EXPECT_FALSE(parseHello(wrong).has_value()) << wrong;
  }
}

std::string withLength(std::string_view text) {
  const auto length = static_cast<std::int32_t>(text.size());
  return std::string(reinterpret_cast<const char*>(&length), sizeof(length)).append(text);
}

std::string withMagic(std::string_view text) {
  return std::string(reinterpret_cast<const char*>(&kServerMagic), sizeof(kServerMagic)) + withLength(text);
}

/// Feeds at most `step` bytes at a time, never more than are wanted; gives what was left.
std::string_view feed(Handshake& handshake, std::string_view bytes, std::size_t step) {
  while (handshake.state() == Handshake::State::Reading && !bytes.empty()) {
    const std::size_t now = std::min({step, handshake.wants(), bytes.size()});
    handshake.add(bytes.substr(0, now));
    bytes.remove_prefix(now);
  }
  return bytes;
}

TEST(Handshake, InPiecesOfAnySize) {
  const std::string bytes = withMagic("client:key") + "the session's";
  for (std::size_t step = 1; step < bytes.size(); ++step) {
    Handshake handshake;
    EXPECT_EQ(feed(handshake, bytes, step), "the session's");
    EXPECT_EQ(handshake.state(), Handshake::State::Greeted);
    EXPECT_EQ(handshake.hello().key, "key");
  }
}

TEST(Handshake, AsksForAProof) {
  Handshake handshake;
  feed(handshake, withMagic("client:key"), 100);
  handshake.askForProof("nonce");
  EXPECT_EQ(handshake.state(), Handshake::State::Reading);
  feed(handshake, withLength("proof:1234"), 3);
  EXPECT_EQ(handshake.state(), Handshake::State::Proved);
  EXPECT_EQ(handshake.proof(), "1234");
  Handshake other;
  feed(other, withMagic("client:key"), 100);
  other.askForProof("nonce");
  feed(other, withLength("poof"), 3);
  EXPECT_EQ(other.state(), Handshake::State::Refused);
}

TEST(Handshake, LengthsThatCannotBe) {
  for (const std::int32_t length :
       {0, -1, INT32_MIN, INT32_MAX, static_cast<std::int32_t>(kMaxKeyBytes) + 1}) {
    std::string bytes = withMagic("");
    std::memcpy(bytes.data() + 4, &length, sizeof(length));
    Handshake handshake;
    feed(handshake, bytes, 8);
    EXPECT_EQ(handshake.state(), Handshake::State::Malformed) << length;
  }
}

TEST(MatchKey, OneTimeKeysAreGoodForOneSession) {
  MatchKey key("board", true);
  EXPECT_FALSE(key.take(""));
  EXPECT_FALSE(key.take("board"));
  const std::string first = key.renew();
  EXPECT_TRUE(first.starts_with("board:"));
  EXPECT_EQ(first.find_first_not_of("0123456789", 6), std::string::npos);
  const std::string second = key.renew();
  EXPECT_FALSE(key.take(first));
  EXPECT_TRUE(key.take(second));
  EXPECT_FALSE(key.take(second));
  EXPECT_TRUE(key.taken());
  key.giveBack();
  EXPECT_FALSE(key.take(second));
  MatchKey fixed("board", false);
  EXPECT_TRUE(fixed.take("board"));
  EXPECT_TRUE(fixed.take("board"));
  EXPECT_FALSE(fixed.take("boar"));
}

TEST(WorkDirectory, NamesStayInside) {
  const Folder folder;
  const WorkDirectory directory(folder.path());
  const fs::path base = directory.path();
  for (const auto& [name, path] : {std::pair<const char*, fs::path>{"a", base / "a"},
                                   {"a/b", base / "a/b"},
                                   {"./a/../b", base / "b"},
                                   {"..a", base / "..a"},
                                   {".", base}}) {
    EXPECT_EQ(directory.resolve(name).value_or("").lexically_normal(), path.lexically_normal()) << name;
  }
  EXPECT_EQ(directory.resolve((base / "x").string()).value(), base / "x");
  for (const std::string& name :
       {std::string(), std::string(".."), std::string("../x"), std::string("a/../../x"),
        std::string("/etc/passwd"), base.string() + "x", std::string("a\0b", 3), std::string("/")}) {
    EXPECT_FALSE(directory.resolve(name).has_value()) << name;
  }
}

TEST(WorkDirectory, LinksDoNotLeadOut) {
  const Folder folder;
  const Folder outside;
  write(outside.path() / "file", "secret");
  fs::create_directory_symlink(outside.path(), folder.path() / "out");
  fs::create_symlink(outside.path() / "file", folder.path() / "file");
  fs::create_directory(folder.path() / "in");
  fs::create_directory_symlink("in", folder.path() / "link");
  const WorkDirectory directory(folder.path());
  EXPECT_FALSE(directory.resolve("out").has_value());
  EXPECT_FALSE(directory.resolve("out/file").has_value());
  EXPECT_FALSE(directory.resolve("out/new").has_value());
  EXPECT_FALSE(directory.resolve("file").has_value());
  EXPECT_TRUE(directory.resolve("link/new").has_value());
}

TEST(SessionFolders, AreGoneWithTheServer) {
  const Folder folder;
  {
    auto folders = SessionFolders::create(folder.path() / "new").value();
    const fs::path first = folders.add().value();
    const fs::path second = folders.add().value();
    EXPECT_NE(first, second);
    write(first / "file", "text");
    fs::create_directory(second / "locked");
    write(second / "locked" / "file", "text");
    fs::permissions(second / "locked", fs::perms::none);
    folders.remove(first);
    for (int i = 0; i < 2000 && fs::exists(first); ++i) {  // a thread of its own does it
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_FALSE(fs::exists(first));
    auto other = SessionFolders::create(folder.path() / "new").value();  // a second server beside it
    EXPECT_TRUE(fs::exists(second));
  }
  EXPECT_FALSE(fs::exists(folder.path() / "new")) << "it was made by the server";
  fs::create_directories(folder.path() / "new" / "opscope-server-abandoned" / "session-1");
  fs::create_directories(folder.path() / "new" / "somebody-elses");
  {
    const auto folders = SessionFolders::create(folder.path() / "new").value();
    EXPECT_FALSE(fs::exists(folder.path() / "new" / "opscope-server-abandoned"));
  }
  EXPECT_TRUE(fs::exists(folder.path() / "new" / "somebody-elses"));
}

TEST(UploadCache, KeepsWithinItsSpace) {
  const Folder folder;
  const fs::path scratch = folder.path() / "scratch";
  fs::create_directory(scratch);
  UploadCache cache(folder.path() / "cache", scratch, 2500);
  std::string last;
  for (int i = 0; i < 5; ++i) {
    const std::string content(1000, static_cast<char>('a' + i));
    last = fileHash(content);
    EXPECT_EQ(cache.begin(scratch / "file", last, content.size()).value(), 0U);
    EXPECT_EQ(cache.chunk(last, 0, content).value(), 1000U);
    EXPECT_EQ(cache.finish(scratch / "file", last).value(), "");
    EXPECT_EQ(read(scratch / "file"), content);
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path() / "cache"), {}), 2);
  EXPECT_EQ(cache.begin(scratch / "again", last, 1000).value(), 1000U);
}

TEST(UploadCache, AFullDiskIsLeftForTheSessionsOwn) {
  const Folder folder;
  const fs::path cacheFolder = folder.path() / "cache";
  const fs::path scratch = folder.path() / "scratch";
  fs::create_directory(scratch);
  const auto isInCache = [&](int file) {
    return fs::read_symlink(fs::path("/proc/self/fd") / std::to_string(file)).parent_path() == cacheFolder;
  };
  // The cache's disk has room for 1500 bytes more.
  std::size_t room = 1500;
  const UploadCache::Write write = [&](int file, const void* bytes, std::size_t count,
                                       off_t offset) -> ssize_t {
    if (isInCache(file)) {
      if (room == 0) {
        errno = ENOSPC;
        return -1;
      }
      count = std::min(count, room);
      room -= count;
    }
    return ::pwrite(file, bytes, count, offset);
  };
  std::string content(4000, 'x');
  std::iota(content.begin(), content.end(), 'a');
  const std::string hash = fileHash(content);
  {
    UploadCache cache(cacheFolder, scratch, 1 << 20, write);
    ASSERT_EQ(cache.begin(scratch / "file", hash, content.size()).value(), 0U);
    for (std::size_t at = 0; at < content.size(); at += 1000) {
      ASSERT_EQ(cache.chunk(hash, at, std::string_view(content).substr(at, 1000)).value(), at + 1000);
    }
    const auto finished = cache.finish(scratch / "file", hash);
    ASSERT_TRUE(finished.has_value());
    EXPECT_EQ(*finished, cacheFolder.string() + ": No space left on device");
  }
  EXPECT_EQ(read(scratch / "file"), content);
  EXPECT_TRUE(fs::is_empty(cacheFolder));
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch), {}), 1) << "nothing but the file";
}

TEST(UploadCache, WhereNoDiskHasRoomTheUploadFailsInWords) {
  const Folder folder;
  const fs::path scratch = folder.path() / "scratch";
  fs::create_directory(scratch);
  const UploadCache::Write full = [](int, const void*, std::size_t, off_t) -> ssize_t {
    errno = ENOSPC;
    return -1;
  };
  UploadCache cache(folder.path() / "cache", scratch, 1 << 20, full);
  const std::string content = "content";
  const std::string hash = fileHash(content);
  ASSERT_EQ(cache.begin(scratch / "file", hash, content.size()).value(), 0U);
  const auto refused = cache.chunk(hash, 0, content);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::ErrorCode::Io);
  EXPECT_NE(refused.error().detail.find("No space"), std::string::npos) << refused.error().detail;
  EXPECT_TRUE(fs::is_empty(scratch));
}

TEST(UploadCache, AFolderThatCannotBeIsTold) {
  const Folder folder;
  const fs::path file = folder.path() / "file";
  std::ofstream(file) << "no folder";
  const std::string content = "content";
  const std::string hash = fileHash(content);
  UploadCache cache(file / "cache", folder.path(), 1 << 20);
  ASSERT_EQ(cache.begin(folder.path() / "one", hash, content.size()).value(), 0U);
  ASSERT_TRUE(cache.chunk(hash, 0, content));
  EXPECT_EQ(cache.finish(folder.path() / "one", hash).value(),
            (file / "cache").string() + ": Not a directory");
}

TEST(FolderRemover, DoesNotHoldUpWhoAsksIt) {
  std::mutex gate;
  std::vector<std::string> removed;
  {
    FolderRemover remover([&](const fs::path& folder) {
      const std::lock_guard lock(gate);  // a folder that takes its time
      removed.push_back(folder.string());
    });
    {
      const std::lock_guard lock(gate);
      remover.add("a");  // would wait for ever if it were done here
      remover.add("b");
      EXPECT_TRUE(removed.empty());
    }
  }
  EXPECT_EQ(removed, (std::vector<std::string>{"a", "b"}));
}

TEST(UploadCache, WithoutAFolderNothingOutlivesTheSession) {
  const Folder folder;
  const std::string content = "content";
  const std::string hash = fileHash(content);
  {
    UploadCache cache({}, folder.path(), 1000);
    EXPECT_EQ(cache.begin(folder.path() / "file", hash, content.size()).value(), 0U);
    EXPECT_EQ(cache.chunk(hash, 0, content).value(), content.size());
    EXPECT_EQ(cache.finish(folder.path() / "file", hash).value(), "");  // nothing else was asked for
    EXPECT_EQ(cache.begin(folder.path() / "other", hash, content.size()).value(), 0U);
  }
  EXPECT_EQ(read(folder.path() / "file"), content);
}

}  // namespace

}  // namespace opscope::rpc::server
