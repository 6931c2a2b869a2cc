// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/kv_cache/growing_kv_cache.h"

#include <fmt/format.h>
#include <tvm/ffi/dtype.h>

#include <algorithm>
#include <cstring>

#include "engine/vm/builtins/arguments.h"
#include "engine/vm/value_text.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {
constexpr DLDevice kHost{kDLCPU, 0};
}  // namespace

GrowingKvCacheObj::GrowingKvCacheObj(ffi::ShapeView capacity, const DLTensor& initial, std::int64_t filled)
    : m_dtype(initial.dtype), m_shape(capacity.begin(), capacity.end()) {
  if (capacity.empty()) {
    raise("ValueError", "KV cache: the reserved shape needs at least one dimension");
  }
  m_rowBytes = runtime::tensorBytes({m_shape.data() + 1, m_shape.size() - 1}, m_dtype);
  m_storage = runtime::allocateStorage(m_allocator, runtime::tensorBytes(capacity, m_dtype),
                                       runtime::kTensorAlignment, kHost);
  append(initial);
  if (filled >= 0) {
    if (filled > m_shape[0]) {
      raise("ValueError", fmt::format("KV cache: {} rows cannot count as filled where there is room for {}",
                                      filled, m_shape[0]));
    }
    m_filled = filled;
    m_ringRow = filled;
  }
}

void GrowingKvCacheObj::requireRows(const DLTensor& rows) const {
  const bool sameType =
      rows.dtype.code == m_dtype.code && rows.dtype.bits == m_dtype.bits && rows.dtype.lanes == m_dtype.lanes;
  if (!sameType) {
    raise("TypeError", fmt::format("KV cache: it holds elements of type {}, got {}",
                                   std::string(ffi::DLDataTypeToString(m_dtype)),
                                   std::string(ffi::DLDataTypeToString(rows.dtype))));
  }
  if (rows.ndim != static_cast<int>(m_shape.size()) ||
      !std::equal(m_shape.begin() + 1, m_shape.end(), rows.shape + 1)) {
    raise("ValueError", fmt::format("KV cache: it holds rows as in shape {}, got {}",
                                    shapeText({m_shape.data(), m_shape.size()}),
                                    shapeText({rows.shape, static_cast<std::size_t>(rows.ndim)})));
  }
}

void GrowingKvCacheObj::reserve(std::int64_t rows) {
  if (rows <= m_shape[0]) {
    return;
  }
  std::vector<std::int64_t> shape = m_shape;
  shape[0] = std::max(rows, m_shape[0] * 2);
  runtime::Storage larger =
      runtime::allocateStorage(m_allocator, runtime::tensorBytes({shape.data(), shape.size()}, m_dtype),
                               runtime::kTensorAlignment, kHost);
  std::memcpy(larger->data, m_storage->data, static_cast<std::size_t>(m_filled) * m_rowBytes);
  m_storage = std::move(larger);
  m_shape = std::move(shape);
}

void GrowingKvCacheObj::write(std::int64_t row, const DLTensor& from, std::int64_t firstRow,
                              std::int64_t count) {
  const char* source = static_cast<const char*>(from.data) + from.byte_offset;
  std::memcpy(static_cast<char*>(m_storage->data) + static_cast<std::size_t>(row) * m_rowBytes,
              source + static_cast<std::size_t>(firstRow) * m_rowBytes,
              static_cast<std::size_t>(count) * m_rowBytes);
}

void GrowingKvCacheObj::append(const DLTensor& rows) {
  requireRows(rows);
  reserve(m_filled + rows.shape[0]);
  write(m_filled, rows, 0, rows.shape[0]);
  m_filled += rows.shape[0];
}

void GrowingKvCacheObj::update(const DLTensor& rows) {
  requireRows(rows);
  if (rows.shape[0] != m_filled) {
    raise("ValueError",
          fmt::format("KV cache: all {} filled rows are updated at once, got {}", m_filled, rows.shape[0]));
  }
  write(0, rows, 0, m_filled);
}

void GrowingKvCacheObj::appendToRing(const DLTensor& rows, std::int64_t limit, std::int64_t sinks) {
  requireRows(rows);
  const std::int64_t count = rows.shape[0];
  if (sinks < 0 || limit <= sinks || count > limit - sinks) {
    raise("ValueError",
          fmt::format("KV cache: {} rows do not fit into a ring of {} of which the first {} stay", count,
                      limit, sinks));
  }
  if (m_ringRow > limit) {
    raise("ValueError",
          fmt::format("KV cache: it has {} rows already, a limit of {} comes too late", m_ringRow, limit));
  }
  const std::int64_t behind = std::min(count, limit - m_ringRow);
  const std::int64_t filled = std::min(m_filled + count, limit);
  reserve(std::max(filled, m_ringRow + behind));
  write(m_ringRow, rows, 0, behind);
  m_ringRow += behind;
  if (behind < count) {
    write(sinks, rows, behind, count - behind);
    m_ringRow = sinks + count - behind;
  }
  m_filled = filled;
}

void GrowingKvCacheObj::pop(std::int64_t count) {
  if (count < 0 || count > m_filled) {
    raise("ValueError",
          fmt::format("KV cache: from {} rows, 0 to as many can be popped, got {}", m_filled, count));
  }
  m_filled -= count;
}

void GrowingKvCacheObj::clear() {
  m_filled = 0;
  m_ringRow = 0;
}

ffi::Tensor GrowingKvCacheObj::view() const {
  std::vector<std::int64_t> shape = m_shape;
  shape[0] = m_filled;
  return runtime::tensorFromStorage(m_storage, 0, {shape.data(), shape.size()}, m_dtype);
}

ffi::Tensor GrowingKvCacheObj::view(ffi::ShapeView shape) const {
  const ffi::Tensor all = view();
  if (!std::equal(shape.begin(), shape.end(), all.shape().begin(), all.shape().end())) {
    raise("ValueError", fmt::format("KV cache: its filled rows have shape {}, asked for was {}",
                                    shapeText({all.shape().data(), all.shape().size()}),
                                    shapeText({shape.data(), shape.size()})));
  }
  return all;
}

}  // namespace opscope::vm
