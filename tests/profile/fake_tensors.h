// SPDX-License-Identifier: Apache-2.0
// Values as the machine hands them to an observer, made by hand. The data is never looked at.
#pragma once

#include <tvm/ffi/container/tensor.h>

#include <deque>
#include <vector>

namespace opscope::profile::testing {

class FakeTensors {
 public:
  TVMFFIAny tensor(std::vector<std::int64_t> shape, DLDataType type = {kDLFloat, 32, 1},
                   DLDevice device = {kDLCPU, 0}) {
    Cell& cell = m_cells.emplace_back();
    cell.shape = std::move(shape);
    cell.object.tensor.dtype = type;
    cell.object.tensor.device = device;
    cell.object.tensor.ndim = static_cast<std::int32_t>(cell.shape.size());
    cell.object.tensor.shape = cell.shape.data();
    TVMFFIAny value{};
    value.type_index = kTVMFFITensor;
    value.v_obj = &cell.object.header;
    return value;
  }
  static TVMFFIAny integer(std::int64_t number) {
    TVMFFIAny value{};
    value.type_index = kTVMFFIInt;
    value.v_int64 = number;
    return value;
  }

 private:
  struct Object {
    TVMFFIObject header{};
    DLTensor tensor{};
  };
  struct Cell {
    std::vector<std::int64_t> shape;
    Object object;
  };
  std::deque<Cell> m_cells;  // a deque keeps cells where they are
};

}  // namespace opscope::profile::testing
