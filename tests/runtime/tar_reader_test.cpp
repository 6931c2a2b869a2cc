// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/tar_reader.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "engine/runtime/gzip.h"
#include "tests/runtime/test_files.h"

namespace opscope::runtime {

namespace {

/// One entry with a right checksum.
std::string entry(const std::string& name, const std::string& body, char type = '0', bool gnu = false) {
  std::string header(512, '\0');
  header.replace(0, std::min<std::size_t>(name.size(), 100), name.substr(0, 100));
  char size[13];
  std::snprintf(size, sizeof(size), "%011zo", body.size());
  header.replace(124, 12, std::string(size, 12));
  header[156] = type;
  header.replace(257, 8, gnu ? std::string("ustar  \0", 8) : std::string("ustar\00000", 8));
  header.replace(148, 8, 8, ' ');
  unsigned sum = 0;
  for (const char byte : header) {
    sum += static_cast<unsigned char>(byte);
  }
  char checksum[9];
  std::snprintf(checksum, sizeof(checksum), "%06o", sum);
  header.replace(148, 8, std::string(checksum, 7) + " ");
  std::string padded = body;
  padded.resize((body.size() + 511) / 512 * 512);
  return header + padded;
}

const std::string kEnd(1024, '\0');

std::string messageOf(const std::string& archive) {
  const auto read = readTar(archive, "model.tar");
  return read ? "" : read.error().message + " | " + read.error().detail;
}

}  // namespace

TEST(TarReader, ReadsWhatTvmWrites) {
  const auto packed = readFixture("linked/model.tar");
  ASSERT_TRUE(isGzip(*packed));
  const auto archive = unpackGzip(*packed, "model.tar");
  ASSERT_TRUE(archive) << archive.error().message;
  ASSERT_TRUE(isTar(*archive));
  const auto entries = readTar(*archive, "model.tar");
  ASSERT_TRUE(entries) << entries.error().message;
  ASSERT_EQ(entries->size(), 2U);
  EXPECT_EQ((*entries)[0].name, "devc.o");
  EXPECT_EQ((*entries)[1].name, "lib0.o");
  EXPECT_EQ((*entries)[1].bytes.substr(0, 4),
            "\x7F"
            "ELF");
}

TEST(TarReader, ReadsLongNamesAndLeavesFoldersOut) {
  const std::string longName = std::string(150, 'a') + ".o";
  const std::string record = "path=" + longName + "\n";
  const std::string pax = std::to_string(record.size() + 4) + " " + record;
  const std::string archive = entry("folder/", "", '5') + entry("./@", longName, 'L', true) +
                              entry("short", "one", '0', true) + entry("x", pax, 'x') + entry("y", "two") +
                              kEnd;
  const auto entries = readTar(archive, "model.tar");  // entries are views of it
  ASSERT_TRUE(entries) << entries.error().message << entries.error().detail;
  ASSERT_EQ(entries->size(), 2U);
  EXPECT_EQ((*entries)[0].name, longName);
  EXPECT_EQ((*entries)[0].bytes, "one");
  EXPECT_EQ((*entries)[1].name, longName);
  EXPECT_EQ((*entries)[1].bytes, "two");
}

TEST(TarReader, RefusesNamesThatLeadOut) {
  for (const std::string name : {"../x.o", "/etc/x.o", "a/../../x.o", "a/..", ".."}) {
    EXPECT_NE(messageOf(entry(name, "x") + kEnd).find("leads out of the archive"), std::string::npos) << name;
  }
  for (const std::string name : {"a..b.o", "..a/x.o", "./x.o"}) {
    EXPECT_EQ(messageOf(entry(name, "x") + kEnd), "") << name;
  }
}

TEST(TarReader, RefusesLinksAndDevices) {
  for (const char type : {'1', '2', '3', '4', '6', 'S'}) {
    EXPECT_NE(messageOf(entry("x.o", "", type) + kEnd).find("is a link or a device"), std::string::npos)
        << type;
  }
}

TEST(TarReader, RefusesWrongChecksumsSizesAndRecords) {
  std::string wrong = entry("x.o", "body") + kEnd;
  wrong[0] = 'y';
  EXPECT_NE(messageOf(wrong).find("checksum"), std::string::npos);
  std::string huge = entry("x.o", "body");
  EXPECT_NE(messageOf(huge.substr(0, 514)).find("an entry of 4 bytes"), std::string::npos);
  for (const std::string pax : {"99 path=x\n", "path=x\n", "9 path=x", "3 x", "12 size=9999\n"}) {
    EXPECT_NE(messageOf(entry("x", pax, 'x') + entry("y", "two") + kEnd), "") << pax;
  }
}

TEST(TarReader, EveryCutIsAnErrorOrFewerFiles) {
  const std::string archive = entry("a.o", std::string(700, 'a')) + entry("b.o", "b") + kEnd;
  for (std::size_t size = 0; size < archive.size(); size += 37) {
    const auto entries = readTar(std::string_view(archive).substr(0, size), "model.tar");
    EXPECT_TRUE(!entries || entries->size() <= 2) << size;
  }
}

TEST(Gzip, ToldWhenDamagedOrTooLarge) {
  const auto packed = readFixture("linked/model.tar");
  for (std::size_t size = 3; size < packed->size(); size += 97) {
    EXPECT_FALSE(unpackGzip(std::string_view(*packed).substr(0, size), "model.tar")) << size;
  }
  std::string damaged = *packed;
  damaged[damaged.size() / 2] ^= 0x10;
  EXPECT_FALSE(unpackGzip(damaged, "model.tar"));
  const auto limited = unpackGzip(*packed, "model.tar", 1000);
  ASSERT_FALSE(limited);
  EXPECT_EQ(limited.error().code, base::ErrorCode::Format);
  const auto twice = unpackGzip(*packed + *packed, "model.tar");
  ASSERT_TRUE(twice);
  EXPECT_EQ(twice->size(), 2 * unpackGzip(*packed, "model.tar")->size());
}

}  // namespace opscope::runtime
