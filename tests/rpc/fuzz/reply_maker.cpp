// SPDX-License-Identifier: Apache-2.0
// Makes the cases: right sessions first, changes after.
#include <algorithm>
#include <array>

#include "engine/rpc/protocol.h"
#include "engine/rpc/wire_numbers.h"
#include "tests/rpc/fuzz/reply_cases.h"

namespace opscope::rpc::test {

namespace {

using Random = std::mt19937_64;

std::uint64_t below(Random& random, std::uint64_t limit) {
  return random() % limit;
}

class SessionMaker {
 public:
  explicit SessionMaker(Random& random)
      : m_random(random), m_encoding(below(random, 8) == 0 ? Encoding::Tvm021 : Encoding::Tvm022) {}

  ReplyCase make() {
    ReplyCase made;
    const std::string key = "server:" + std::string(below(m_random, 20), 'k');
    appendNumber(m_bytes, kServerMagic);
    appendNumber(m_bytes, static_cast<std::int32_t>(key.size()));
    m_bytes += key;
    reply({Value()});
    const bool old = m_encoding == Encoding::Tvm021;
    const bool sizes = below(m_random, 4) == 0;
    for (const std::uint64_t handle : {old ? 0 : 1, old ? 1 : 0, 0, sizes ? 3 : 0}) {
      reply({OpaquePointer{handle}});
    }
    if (sizes) {
      reply({std::int64_t{1}, std::int64_t{100} + static_cast<std::int64_t>(below(m_random, 1000))});
      m_ignored += 1;
    }
    m_ignored += 1;  // the function that told the version is freed
    for (std::uint64_t i = below(m_random, 12); i > 0; --i) {
      const auto step = static_cast<Step>(below(m_random, kSteps));
      made.steps.push_back(step);
      answer(step);
    }
    made.bytes = std::move(m_bytes);
    return made;
  }

 private:
  void reply(std::vector<Value> values, FrameCode code = FrameCode::Return) {
    answerFrees();
    write({.code = code, .values = std::move(values)});
  }
  /// Each free has its answer before that of the next request.
  void answerFrees() {
    for (; m_ignored > 0; --m_ignored) {
      write({.code = FrameCode::Return, .values = {Value()}});
    }
  }
  void write(const Frame& frame) {
    FrameWriter writer;
    if (writer.write(m_encoding, frame)) {
      m_bytes += below(m_random, 20) == 0 ? std::string(8, '\0') : std::string();
      m_bytes += writer.text();
    }
  }

  std::string text(std::uint64_t most) {
    std::string made(below(m_random, most), '\0');
    for (char& character : made) {
      character = static_cast<char>(m_random());
    }
    return made;
  }

  TensorView view() {
    TensorView made{m_random(), {kDLCPU, 0}, {kDLFloat, 32, 1}, {}, below(m_random, 100)};
    made.shape.resize(below(m_random, 5));
    for (std::int64_t& extent : made.shape) {
      extent = static_cast<std::int64_t>(below(m_random, 10));
    }
    return made;
  }

  std::vector<Value> anyResult() {
    switch (below(m_random, 9)) {
      case 0:
        return {std::int64_t{0}, Value()};
      case 1:
        return {std::int64_t{1}, static_cast<std::int64_t>(m_random())};
      case 2:
        return {std::int64_t{3}, 0.5};
      case 3:
        return {std::int64_t{65}, text(40)};
      case 4:
        return {std::int64_t{66}, Bytes{text(40), below(m_random, 2) == 0}};
      case 5:
        return {std::int64_t{68}, OpaquePointer{m_random()}};
      case 6:
        return {std::int64_t{73}, OpaquePointer{m_random()}};
      case 7:
        return {static_cast<std::int64_t>(64 + below(m_random, 200)), OpaquePointer{m_random()}};
      default:
        return {std::int64_t{7}, view()};
    }
  }

  void answer(Step step) {
    if (step != Step::Free && step != Step::CallAll && below(m_random, 16) == 0) {
      return reply({text(60)}, FrameCode::Exception);
    }
    switch (step) {
      case Step::Call: {
        const std::vector<Value> result = anyResult();
        reply(result);
        m_ignored += std::holds_alternative<OpaquePointer>(result[1]) ? 1 : 0;  // the client frees objects
        return;
      }
      case Step::CallForTensor:
        reply({std::int64_t{m_encoding == Encoding::Tvm021 ? 72 : 70}, view(), OpaquePointer{m_random()}});
        ++m_ignored;
        return;
      case Step::CallForBytes:
        return reply({std::int64_t{66}, Bytes{text(below(m_random, 8) == 0 ? 200'000 : 100)}});
      case Step::CallAll:
        for (int i = 0; i < 5; ++i) {
          reply(anyResult());
        }
        return;
      case Step::GlobalFunction: {
        const std::uint64_t handle = below(m_random, 3);
        reply({OpaquePointer{handle}});
        m_ignored += handle == 0 ? 0 : 1;
        return;
      }
      case Step::Allocate:
        return reply({OpaquePointer{below(m_random, 3)}});
      case Step::Names:
        return answerNames();
      case Step::CopyTo:
        return reply({Value()});
      case Step::CopyFrom:
        answerFrees();
        write({.code = FrameCode::CopyAck, .data = "0123456789abcdef"});
        return;
      case Step::Attribute:
        return below(m_random, 2) == 0 ? reply({Value()}) : reply({text(10)});
      case Step::Free:
        ++m_ignored;
        return;
    }
  }

  void answerNames() {
    if (!m_namesKept) {
      reply({OpaquePointer{0x55}});
    }
    m_namesKept = true;
    reply({std::int64_t{68}, OpaquePointer{0x56}});
    const std::uint64_t count = below(m_random, 10);
    reply({std::int64_t{1}, static_cast<std::int64_t>(count)});
    for (std::uint64_t i = 0; i < count; ++i) {
      reply({std::int64_t{65}, text(20)});
    }
    ++m_ignored;  // the list is freed
  }

  Random& m_random;
  const Encoding m_encoding;
  std::string m_bytes;
  int m_ignored = 0;  ///< answers to frees, which come before the next
  bool m_namesKept = false;
};

/// Numbers where readers go wrong.
constexpr std::array<std::uint64_t, 18> kNumbers = {
    0,       1,          2,          3,          4,           7,          8,          65,         66,
    100'000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x100000000, 1ULL << 40, 1ULL << 62, 1ULL << 63, ~0ULL};

void change(Random& random, std::string& bytes) {
  if (bytes.empty()) {
    return;
  }
  const std::size_t at = below(random, bytes.size());
  const std::size_t size = std::min<std::size_t>(1 + below(random, 32), bytes.size() - at);
  switch (below(random, 7)) {
    case 0:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(random, 8)));
      return;
    case 1:
      bytes[at] = static_cast<char>(random());
      return;
    case 2: {
      const std::uint64_t number = kNumbers[below(random, kNumbers.size())];
      const std::size_t width = std::min<std::size_t>(below(random, 2) == 0 ? 4 : 8, bytes.size() - at);
      bytes.replace(at, width, std::string(reinterpret_cast<const char*>(&number), width));
      return;
    }
    case 3:
      bytes.erase(at, size);
      return;
    case 4:
      bytes.insert(at, bytes.substr(below(random, bytes.size()), size));
      return;
    case 5:
      bytes.insert(at, std::string(size, static_cast<char>(random())));
      return;
    default:
      bytes.resize(at);
  }
}

}  // namespace

ReplyCase makeReplyCase(std::uint64_t seed, std::uint64_t number) {
  Random random(seed * 0x9E3779B97F4A7C15ULL + number);
  ReplyCase made = SessionMaker(random).make();
  if (number % 16 != 0) {
    for (std::uint64_t i = 1 + below(random, 4); i > 0; --i) {
      change(random, made.bytes);
    }
  }
  return made;
}

std::string ReplyCase::saved() const {
  std::string file(1, static_cast<char>(steps.size()));
  for (const Step step : steps) {
    file += static_cast<char>(step);
  }
  return file + bytes;
}

ReplyCase ReplyCase::read(std::string_view file) {
  ReplyCase made;
  const std::size_t count =
      file.empty() ? 0 : std::min<std::size_t>(static_cast<unsigned char>(file[0]), file.size() - 1);
  for (std::size_t i = 0; i < count; ++i) {
    made.steps.push_back(static_cast<Step>(static_cast<unsigned char>(file[i + 1]) % kSteps));
  }
  made.bytes = file.empty() ? "" : file.substr(count + 1);
  return made;
}

}  // namespace opscope::rpc::test
