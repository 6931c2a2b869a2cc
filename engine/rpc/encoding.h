// SPDX-License-Identifier: Apache-2.0
// Sequences of values as bytes, in the three encodings that TVM has had under one protocol version. Pure
// functions; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/rpc/byte_cursor.h"
#include "engine/rpc/value.h"

namespace opscope::rpc {

enum class Encoding {
  Legacy,  ///< up to TVM 0.20: all tags, then all values. From its sources alone, never tried against a
           ///< server.
  Tvm021,  ///< a tag before each value; strings and bytes have tags 8 and 9 only
  Tvm022,  ///< the same with objects for strings and bytes, since TVM 0.22
};
std::string_view encodingName(Encoding encoding);

/// Bytes that belong into the output at `position` without having been copied there.
struct Gap {
  std::size_t position = 0;
  std::string_view content;
};
/// From this size on a BytesView leaves a gap.
inline constexpr std::size_t kGapBytes = std::size_t{32} << 10;

/// Appends the sequence to `out`: its count, then its values. With `gaps`, long BytesViews are told there
/// instead of copied. Strings go out as tag 8, bytes as tag 9, which every version takes; Bytes::object asks
/// for 12 or 66 where the encoding has them. Errors: InvalidArgument, naming the value, for what exceeds a
/// limit of protocol.h; `out` is then as it was.
base::Result<> encodeSequence(Encoding encoding, std::span<const Value> values, std::string& out,
                              std::vector<Gap>* gaps = nullptr);

/// Whether decoded bytes are copied (Bytes) or point into the input (BytesView).
enum class BlobMode { Copy, View };

/// Reads a sequence. Takes tags 8, 9, 11, 12, 65 and 66 in both newer encodings, the last four as std::string
/// and Bytes with `object` set. Errors: Format, naming value and byte; nothing is allocated that the input
/// does not pay for.
base::Result<std::vector<Value>> decodeSequence(Encoding encoding, ByteCursor& cursor,
                                                BlobMode blobs = BlobMode::Copy);

/// A tensor view as it stands in copy requests and after its tag.
void encodeTensorView(const TensorView& view, std::string& out);
/// The same for a tensor of ours, whose elements lie one behind the other.
void encodeTensorView(const DLTensor& tensor, std::string& out);
base::Result<TensorView> decodeTensorView(ByteCursor& cursor);

}  // namespace opscope::rpc
