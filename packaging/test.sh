#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The whole check on Debian 12: dependencies, the real TVM to compare against, build, all tests of the preset "dev".
# Ends with CTest's summary; the exit status is not 0 when anything failed.
#
#   packaging/test.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bash packaging/setup.sh --tests
aarch64=OFF
if command -v aarch64-linux-gnu-g++ >/dev/null && command -v qemu-aarch64 >/dev/null; then aarch64=ON; fi
# What only these tests run is built for a short build. At -O1 GCC 12 takes paths of std::variant for unset values.
cmake --preset dev -DOPSCOPE_AARCH64_SERVER=$aarch64 "-DOPSCOPE_AARCH64_FLAGS=-O1 -DNDEBUG -Wno-maybe-uninitialized" \
  -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=gold
cmake --build --preset dev
ctest --preset dev
