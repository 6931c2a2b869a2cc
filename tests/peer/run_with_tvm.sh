#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a test with a certain release of TVM, which it installs into a virtual environment the first time.
#
#   run_with_tvm.sh VERSION FOLDER TEST.py [ARGUMENT...]
set -euo pipefail

version=$1 folder=$2
shift 2
environment=$folder/tvm-$version

# Releases are built against the tvm-ffi of their time, and 0.25 does not start with newer ones.
declare -A ffi=([0.25.0.post1]=0.1.12)

if [ ! -e "$environment/ready" ]; then
  rm -rf "$environment"
  python3 -m venv "$environment"
  "$environment/bin/pip" install --quiet "apache-tvm==$version" ${ffi[$version]:+"apache-tvm-ffi==${ffi[$version]}"} numpy
  touch "$environment/ready"
fi
exec "$environment/bin/python" -B "$@"
