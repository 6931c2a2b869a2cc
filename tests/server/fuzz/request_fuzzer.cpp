// SPDX-License-Identifier: Apache-2.0
#include "tests/server/fuzz/request_fuzzer.h"

#include <array>
#include <cstring>

#include "engine/rpc/frames.h"

namespace opscope::rpc::server::test {

namespace {

/// Harmless with any arguments. Those that load code or leave the session's folder are not for a fuzzer.
constexpr std::array kFunctions = {"ffi.Array",
                                   "ffi.ArraySize",
                                   "ffi.ArrayGetItem",
                                   "ffi.Shape",
                                   "ffi.Map",
                                   "ffi.MapSize",
                                   "test.tensor",
                                   "test.echo",
                                   "tvm.rpc.server.upload",
                                   "tvm.rpc.server.download",
                                   "tvm.rpc.server.remove",
                                   "tvm.rpc.server.listdir",
                                   "tvm.rpc.server.workpath",
                                   "tvm.rpc.server.load_module",
                                   "tvm.rpc.server.download_linked_module",
                                   "tvm.rpc.server.ModuleGetFunction",
                                   "tvm.rpc.server.ImportModule",
                                   "opscope.server_info",
                                   "opscope.upload_begin",
                                   "opscope.upload_chunk",
                                   "opscope.upload_finish"};
constexpr std::array kTexts = {"",
                               "a",
                               "name",
                               "../x",
                               "/etc/passwd",
                               "folder/file",
                               "a/b",
                               "..",
                               "file.so",
                               "\xff\xfe",
                               "global",
                               "texture",
                               "0123456789abcdef0123456789abcdef"};
constexpr int kMostRequests = 60;
constexpr std::size_t kMostKnown = 200;

}  // namespace

std::uint64_t RequestFuzzer::number() {
  switch (below(5)) {
    case 0:
      return below(4);
    case 1:
      return below(300);
    case 2:
      return std::uint64_t{1} << below(64);
    case 3:
      return ~below(3);
    default:
      return m_random();
  }
}

std::uint64_t RequestFuzzer::handle() {
  return !m_known.empty() && chance(85) ? m_known[below(m_known.size())] : number();
}

std::uint64_t RequestFuzzer::address() {
  return chance(90) ? handle() : handle() + number();
}

std::string RequestFuzzer::text() {
  if (chance(80)) {
    return kTexts[below(kTexts.size())];
  }
  return std::string(below(300), static_cast<char>(below(256)));
}

std::string RequestFuzzer::view() {
  const auto dimensions = static_cast<std::int32_t>(chance(95) ? below(5) : number());
  const DLDataType type{static_cast<std::uint8_t>(below(8)),
                        static_cast<std::uint8_t>(chance(90) ? 8 << below(4) : below(256)),
                        static_cast<std::uint16_t>(chance(95) ? 1 : below(70000))};
  std::string bytes = bytesOf(address(), static_cast<std::int32_t>(chance(95) ? 1 : below(20)),
                              static_cast<std::int32_t>(chance(97) ? 0 : below(3)), dimensions, type);
  for (int i = 0; i < std::min(dimensions, 70); ++i) {
    bytes += bytesOf(chance(90) ? below(5) : number());
  }
  return bytes + bytesOf(chance(80) ? std::uint64_t{0} : number());
}

std::string RequestFuzzer::value() {
  constexpr std::array kTags = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 65, 66, 68, 73, 115};
  const auto tag = chance(98) ? kTags[below(kTags.size())] : static_cast<std::int32_t>(number());
  const std::string head = bytesOf(tag);
  const std::string content = text();
  const std::uint64_t length = chance(97) ? content.size() : number();
  switch (tag) {
    case 0:
      return head;
    case 4:
    case 68:
    case 73:
      return head + bytesOf(handle());
    case 5:
      return head + bytesOf(DLDataType{2, 32, 1}, std::int32_t{0});
    case 6:
      return head + bytesOf(static_cast<std::int32_t>(chance(90) ? 1 : number()), std::int32_t{0});
    case 7:
      return head + view();
    case 8:
    case 9:
      return head + bytesOf(length) + content;
    case 11:
    case 65:
      return head + bytesOf(std::uint32_t{65}, length) + content;
    case 12:
    case 66:
      return head + bytesOf(std::uint32_t{66}, length) + content;
    case 115:
      return head + bytesOf(static_cast<std::uint32_t>(chance(95) ? 115 : number()), handle());
    default:
      return head + bytesOf(number());
  }
}

std::string RequestFuzzer::values() {
  const std::uint64_t count = below(5);
  std::string bytes = bytesOf(static_cast<std::int32_t>(chance(98) ? count : number()));
  for (std::uint64_t i = 0; i < count; ++i) {
    bytes += value();
  }
  return bytes;
}

/// Of a code and a payload that belong together.
std::string RequestFuzzer::fittingRequest() {
  const std::string device = bytesOf(Tag::Device, std::int32_t{kDLCPU}, std::int32_t{0});
  switch (below(9)) {
    case 0:
    case 1:
      return functionFrame(kFunctions[below(kFunctions.size())]);
    case 2:
    case 3:
      return frameOf(FrameCode::Call, bytesOf(handle()) + values());
    case 4:
      return frameOf(FrameCode::AllocateWithScope,
                     bytesOf(std::int32_t{2}, Tag::TensorView) + view() + bytesOf(Tag::None));
    case 5: {
      const std::string data(below(200), 'x');
      return frameOf(
          FrameCode::CopyToRemote,
          view() + bytesOf(static_cast<std::uint64_t>(chance(90) ? data.size() : number())) + data);
    }
    case 6:
      return frameOf(FrameCode::CopyFromRemote, view() + bytesOf(chance(90) ? below(200) : number()));
    case 7:
      return frameOf(FrameCode::FreeData,
                     bytesOf(std::int32_t{2}) + device + bytesOf(Tag::OpaquePointer, handle()));
    default:
      return frameOf(FrameCode::FreeHandle, bytesOf(std::int32_t{1}, Tag::OpaquePointer, handle()));
  }
}

std::string RequestFuzzer::request() {
  std::string frame = fittingRequest();
  if (chance(15)) {
    auto code = static_cast<FrameCode>(chance(90) ? 2 + below(20) : number());
    code = code == FrameCode::Shutdown ? FrameCode::None : code;
    frame = frameOf(code, values());
  }
  if (chance(10) && frame.size() > 12) {
    frame[12 + below(frame.size() - 12)] = static_cast<char>(below(256));
  }
  return frame;
}

void RequestFuzzer::learn(const std::string& body) {
  const auto frame = parseFrame(Encoding::Tvm022, body);
  if (!frame || frame->code != FrameCode::Return) {
    return;
  }
  ++m_returned;
  for (const Value& value : frame->values) {
    if (const auto* pointer = std::get_if<OpaquePointer>(&value);
        pointer != nullptr && pointer->address != 0) {
      m_known.push_back(pointer->address);
    } else if (const auto* tensor = std::get_if<TensorView>(&value)) {
      m_known.push_back(tensor->data);
    }
  }
  if (m_known.size() > kMostKnown) {
    m_known.erase(m_known.begin(), m_known.begin() + kMostKnown / 2);
  }
}

std::string RequestFuzzer::run() {
  m_known.clear();
  LocalSession session(chance(80) ? ClientAbi::Tvm022 : ClientAbi::Tvm021);
  if (chance(95)) {
    session.request(initFrame());
  }
  for (std::uint64_t i = 0, count = below(kMostRequests); i < count; ++i) {
    const std::string frame = request();
    const auto body = session.request(frame);
    if (!body.has_value()) {
      return "a request was not answered";
    }
    if (const auto parsed = parseFrame(Encoding::Tvm022, *body); !parsed) {
      return "an answer cannot be read: " + parsed.error().message;
    }
    ++m_answered;
    learn(*body);
  }
  if (chance(50)) {  // the end of many clients
    const std::string last = request();
    session.send(std::string_view(last).substr(0, below(last.size())));
  }
  return {};
}

}  // namespace opscope::rpc::server::test
