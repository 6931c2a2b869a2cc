// SPDX-License-Identifier: Apache-2.0
// The values of a request, as tvm-ffi's functions take them. The session's thread. Strings, bytes and views
// of tensors stay where the request was received, so they are valid as long as the request and this object.
// Behaviour: the value encoding of TVM 0.21 and later; every length, handle and address is checked.
#pragma once

#include <tvm/ffi/any.h>

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/rpc/byte_cursor.h"
#include "engine/rpc/server/handle_table.h"
#include "engine/rpc/server/memory_map.h"

namespace opscope::rpc::server {

/// Takes numbers from the front of a request, and bytes that stay where they are. Errors: as ByteCursor's.
class RequestCursor {
 public:
  /// One byte behind the end may be written to: see Arguments::decode.
  explicit RequestCursor(std::span<char> bytes)
      : m_begin(bytes.data()), m_cursor({bytes.data(), bytes.size()}) {}

  template <class T>
  base::Result<T> take(std::string_view what) {
    return m_cursor.number<T>(what);
  }
  base::Result<std::span<char>> takeBytes(std::uint64_t count, std::string_view what);
  base::Result<> expectEnd() const { return m_cursor.expectEnd(); }
  /// The same place, for what reads only.
  ByteCursor& reader() { return m_cursor; }

 private:
  char* m_begin;
  ByteCursor m_cursor;
};

/// A view as it came, and its dimensions.
struct ReceivedView {
  DLTensor tensor{};
  std::vector<std::int64_t> shape;
  std::uint64_t bytes = 0;  ///< of all its elements
};

/// A view without its tag. The address is not checked. Errors: Format.
base::Result<ReceivedView> takeView(RequestCursor& cursor);

class Arguments {
 public:
  Arguments(const HandleTable& handles, const MemoryMap& memory) : m_handles(handles), m_memory(memory) {}

  enum class Views {
    Checked,  ///< their memory must be known
    Any,      ///< they describe memory to be allocated
  };
  /// The whole rest of a request. Writes a zero behind each string, over bytes that were read by then,
  /// because C strings end so. Errors: Format for what does not fit the encoding; InvalidArgument for handles
  /// and addresses that are not the client's. The values before are forgotten.
  base::Result<> decode(RequestCursor& cursor, Views views = Views::Checked);

  std::span<const TVMFFIAny> values() const { return m_values; }
  tvm::ffi::PackedArgs packed() const;

 private:
  base::Result<> decodeOne(RequestCursor& cursor, Views views);
  base::Result<> addObject(std::uint64_t handle, int type);
  base::Result<> addString(RequestCursor& cursor, bool isText);
  base::Result<> addTypedObject(RequestCursor& cursor);
  base::Result<> addView(RequestCursor& cursor, Views views);
  TVMFFIAny& add(int type);

  const HandleTable& m_handles;
  const MemoryMap& m_memory;
  std::vector<TVMFFIAny> m_values;
  std::deque<ReceivedView> m_views;
  std::deque<TVMFFIByteArray> m_blobs;
  std::vector<tvm::ffi::Any> m_owned;
  std::vector<char*> m_stringEnds;
};

}  // namespace opscope::rpc::server
