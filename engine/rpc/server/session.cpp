// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/server/session.h"

#include <fmt/format.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

#include <cstring>
#include <new>

#include "engine/base/log.h"
#include "engine/rpc/protocol.h"
#include "engine/runtime/ffi_error.h"

namespace opscope::rpc::server {

namespace ffi = tvm::ffi;
using base::Error;
using base::ErrorCode;
using base::Result;

namespace {

/// Up to this size the memory of one request is used for the next.
constexpr std::uint64_t kSmallBody = std::uint64_t{16} << 20;
/// TVM 0.22 brought it; a client that finds it takes this server for one that is not of TVM 0.21.
constexpr std::string_view kSystemLib = "ffi.SystemLib";

}  // namespace

bool Session::run() {
  for (;;) {
    std::uint64_t length = 0;
    if (!m_stream.readLength(length)) {
      return true;
    }
    const Outcome outcome = frame(length);
    if (outcome != Outcome::Go) {
      return m_stream.flush() && outcome == Outcome::End;
    }
  }
}

void Session::startKernelThreads() {
  if (m_context == nullptr) {
    m_context = std::make_unique<runtime::RunContext>(m_runtime);
    m_scope = std::make_unique<runtime::RunContextScope>(*m_context);
  }
}

Result<> Session::configureKernelThreads(const runtime::RuntimeOptions& options) {
  const bool isSame = options.threads == m_runtime.threads && options.pin == m_runtime.pin &&
                      options.spinUs == m_runtime.spinUs;
  if (m_context != nullptr && !isSame) {
    return Error{ErrorCode::InvalidArgument, "The threads for kernels are there already",
                 "they start with the first library that is loaded",
                 "configure them before, or in a session of their own"};
  }
  m_runtime = options;
  startKernelThreads();
  return {};
}

Session::Outcome Session::refuse(const Error& error) {
  base::log(base::LogLevel::Debug, "answered with an error: " + error.message);
  m_reply.exception("ValueError", error.message);
  return send();
}

Session::Outcome Session::send() {
  return m_stream.write(m_reply.head(), m_reply.blob()) ? Outcome::Go : Outcome::Lost;
}

/// The bytes of a large frame come into fresh memory that the system gives only as they arrive, so a length
/// that was claimed costs nothing.
bool Session::receiveBody(std::uint64_t length) {
  if (length <= kSmallBody) {
    m_largeBody.reset();
    m_body.resize(std::max<std::size_t>(m_body.size(), length + 1));
    m_received = std::span(m_body).first(length);
  } else {
    m_largeBody.reset(new (std::nothrow) char[length + 1]);
    if (m_largeBody == nullptr) {
      return false;
    }
    m_received = std::span(m_largeBody.get(), length);
  }
  return m_stream.read(m_received.data(), length);
}

Session::Outcome Session::frame(std::uint64_t length) {
  std::int32_t code = 0;
  if (length < sizeof(code)) {
    return m_stream.skip(length) ? refuse({ErrorCode::Format, "A frame is too short to be a request", {}, {}})
                                 : Outcome::Lost;
  }
  if (length > kMaxFrameBytes) {
    // What follows cannot be told from the next frame.
    refuse({ErrorCode::Format,
            fmt::format("A frame claims {} bytes, at most {} are taken; the session ends", length,
                        kMaxFrameBytes),
            {},
            {}});
    return Outcome::End;
  }
  if (!m_stream.read(&code, sizeof(code))) {
    return Outcome::Lost;
  }
  if (static_cast<FrameCode>(code) == FrameCode::CopyToRemote && m_initialised) {
    return copyToRemote(length - sizeof(code));
  }
  if (!receiveBody(length - sizeof(code))) {
    return Outcome::Lost;
  }
  if (static_cast<FrameCode>(code) == FrameCode::Shutdown) {
    return Outcome::End;
  }
  RequestCursor cursor(m_received);
  if (static_cast<FrameCode>(code) == FrameCode::CopyFromRemote && m_initialised) {
    return copyFromRemote(cursor);
  }
  const Result<> answered = runtime::guarded(ErrorCode::Remote, "The request failed",
                                             [&] { return answer(static_cast<FrameCode>(code), cursor); });
  const Outcome outcome = answered ? send() : refuse(answered.error());
  m_result = nullptr;
  m_largeBody.reset();
  return outcome;
}

Result<> Session::answer(FrameCode code, RequestCursor& cursor) {
  if (code == FrameCode::Init) {
    return initialise(cursor);
  }
  const auto number = static_cast<std::int32_t>(code);
  if (!m_initialised) {
    return Error{ErrorCode::InvalidArgument,
                 fmt::format("The session was not initialised before request {}", number),
                 {},
                 {}};
  }
  if (code == FrameCode::Call) {
    return call(cursor);
  }
  if (code < FrameCode::GetGlobalFunction || number > kLastFrameCode) {
    return Error{ErrorCode::InvalidArgument, fmt::format("There is no request {}", number), {}, {}};
  }
  const bool allocates = code == FrameCode::AllocateWithScope;
  OPSCOPE_TRY(m_arguments.decode(cursor, allocates ? Arguments::Views::Any : Arguments::Views::Checked));
  if (code == FrameCode::GetGlobalFunction) {
    return globalFunction();
  }
  if (code == FrameCode::FreeHandle) {
    return freeHandle();
  }
  return m_devices.answer(code, m_arguments.values(), m_reply);
}

Result<> Session::initialise(RequestCursor& cursor) {
  OPSCOPE_TRY_ASSIGN(const auto length, cursor.take<std::uint64_t>("the protocol's version"));
  OPSCOPE_TRY_ASSIGN(const std::span<char> bytes, cursor.takeBytes(length, "the protocol's version"));
  const std::string version(bytes.begin(), bytes.end());
  OPSCOPE_TRY(m_arguments.decode(cursor));
  if (m_initialised) {
    return Error{ErrorCode::InvalidArgument, "The session is initialised already", {}, {}};
  }
  if (version != kProtocolVersion) {
    return Error{ErrorCode::InvalidArgument,
                 fmt::format("The client speaks version {} of the protocol, this server {}", version,
                             kProtocolVersion),
                 {},
                 {}};
  }
  if (!m_arguments.values().empty()) {
    return Error{
        ErrorCode::Unsupported, "This server makes no sessions to other servers for its clients", {}, {}};
  }
  m_initialised = true;
  m_reply.returnNone();
  return {};
}

Result<> Session::globalFunction() {
  const auto values = m_arguments.values();
  if (values.size() != 1) {
    return Error{ErrorCode::InvalidArgument, "Expected the name of a function", {}, {}};
  }
  const auto name = m_arguments.packed()[0].try_cast<ffi::String>();
  if (!name.has_value()) {
    return Error{ErrorCode::InvalidArgument, "Expected the name of a function", {}, {}};
  }
  const std::string_view text(name->data(), name->size());
  const bool hidden = m_abi == ClientAbi::Tvm021 && text == kSystemLib;
  const auto function = hidden ? std::nullopt : ffi::Function::GetGlobal(text);
  m_reply.returnPointer(function.has_value() ? m_handles.add(*function) : 0);
  return {};
}

Result<> Session::freeHandle() {
  const auto values = m_arguments.values();
  if (values.size() != 1 || static_cast<Tag>(values[0].type_index) != Tag::OpaquePointer) {
    return Error{ErrorCode::InvalidArgument, "Expected one handle to free", {}, {}};
  }
  std::uint64_t handle = values[0].v_uint64;
  if (m_abi == ClientAbi::Tvm021 && m_handles.find(handle) == nullptr) {
    handle = m_handles.findTensor(handle);  // TVM 0.21 frees a tensor by the address of its data
  }
  const ffi::ObjectRef object = m_handles.remove(handle);
  if (!object.defined()) {
    return Error{ErrorCode::InvalidArgument,
                 fmt::format("{:#x} is no handle of this session, or is free already", values[0].v_uint64),
                 {},
                 {}};
  }
  if (const auto* tensor = object.as<ffi::TensorObj>()) {
    const ffi::ShapeView shape(tensor->shape, static_cast<std::size_t>(tensor->ndim));
    m_memory.forget(addressOf(*tensor), runtime::tensorBytes(shape, tensor->dtype));
  }
  m_reply.returnNone();
  return {};
}

Result<> Session::call(RequestCursor& cursor) {
  OPSCOPE_TRY_ASSIGN(const auto handle, cursor.take<std::uint64_t>("the function's handle"));
  OPSCOPE_TRY(m_arguments.decode(cursor));
  ffi::Object* const function = m_handles.find(handle);
  if (function == nullptr || function->type_index() != ffi::TypeIndex::kTVMFFIFunction) {
    return Error{ErrorCode::InvalidArgument,
                 fmt::format("{:#x} is no handle of a function that lives in this session", handle),
                 {},
                 {}};
  }
  const auto values = m_arguments.values();
  TVMFFIAny result{};
  if (TVMFFIFunctionCall(function, const_cast<TVMFFIAny*>(values.data()), static_cast<int>(values.size()),
                         &result) != 0) {
    const runtime::RaisedError raised = runtime::takeRaised();
    m_reply.exception(raised.kind, raised.message);
    return {};
  }
  m_result = ffi::details::AnyUnsafe::MoveTVMFFIAnyToAny(&result);
  return m_reply.result(m_result, m_handles, m_memory);
}

Session::Outcome Session::copyFromRemote(RequestCursor& cursor) {
  const auto copied = [&]() -> Result<std::span<char>> {
    OPSCOPE_TRY_ASSIGN(ReceivedView view, takeView(cursor));
    OPSCOPE_TRY_ASSIGN(const auto bytes, cursor.take<std::uint64_t>("the number of bytes"));
    OPSCOPE_TRY(cursor.expectEnd());
    return m_devices.memoryOf(view.tensor, bytes);
  }();
  if (!copied) {
    return refuse(copied.error());
  }
  m_reply.copied({copied->data(), copied->size()});
  return send();
}

/// The data goes from the socket straight into the tensor.
Session::Outcome Session::copyToRemote(std::uint64_t length) {
  constexpr std::size_t kMostHead = 40 + 8 * kMaxDimensions + sizeof(std::uint64_t);
  constexpr std::size_t kDimensionsAt = 16;
  constexpr std::size_t kFixed = 32;
  char head[kMostHead];
  std::size_t got = std::min<std::uint64_t>(length, kFixed);
  if (!m_stream.read(head, got)) {
    return Outcome::Lost;
  }
  std::int32_t dimensions = 0;
  std::memcpy(&dimensions, head + kDimensionsAt, sizeof(dimensions));
  const bool isSane =
      got == kFixed && dimensions >= 0 && static_cast<std::size_t>(dimensions) <= kMaxDimensions;
  if (isSane) {
    const std::size_t whole = kFixed + 8 * static_cast<std::size_t>(dimensions) + sizeof(std::uint64_t);
    const std::size_t more = std::min<std::uint64_t>(length, whole) - got;
    if (!m_stream.read(head + got, more)) {
      return Outcome::Lost;
    }
    got += more;
  }
  const auto target = [&]() -> Result<std::span<char>> {
    RequestCursor cursor(std::span(head, got));
    OPSCOPE_TRY_ASSIGN(ReceivedView view, takeView(cursor));
    OPSCOPE_TRY_ASSIGN(const auto bytes, cursor.take<std::uint64_t>("the number of bytes"));
    if (bytes != length - got) {
      return Error{
          ErrorCode::Format, fmt::format("A copy claims {} bytes, {} follow", bytes, length - got), {}, {}};
    }
    return m_devices.memoryOf(view.tensor, bytes);
  }();
  if (!target) {
    return m_stream.skip(length - got) ? refuse(target.error()) : Outcome::Lost;
  }
  if (!m_stream.read(target->data(), target->size())) {
    return Outcome::Lost;
  }
  m_reply.returnNone();
  return send();
}

}  // namespace opscope::rpc::server
