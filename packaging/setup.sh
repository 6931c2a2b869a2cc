#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs all that a build of Opscope needs, on Debian 12. Safe to run again: what is there already is left alone.
#
#   packaging/setup.sh [--tests]
#
#   1. Debian packages, by apt (as root, or through sudo).
#   2. apache-tvm-ffi's wheel, pinned by version and SHA-256, unpacked to build/deps for all presets.
#   3. With --tests: a virtual environment build/tvm with the real TVM, which some tests compare against; the cross
#      compiler for aarch64 boards, qemu to run what it makes, and the libraries for that (fetch_board_libraries.sh).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=(
  # compiler and build
  g++ cmake ninja-build ccache pkg-config git ca-certificates
  # libraries of the engine and the command line tool
  libexpected-dev libfmt-dev libspdlog-dev nlohmann-json3-dev libsimdjson-dev libcli11-dev
  libzip-dev zlib1g-dev libxxhash-dev libsqlite3-dev libcapstone-dev libpfm4-dev
  # the window; qt6-wayland lets it run without X11
  qt6-base-dev qt6-svg-dev qt6-wayland libqcustomplot-dev
  fontconfig fonts-dejavu-core fonts-inter fonts-jetbrains-mono
  # tests and checks
  libgtest-dev libgmock-dev libbenchmark-dev clang-format lld xvfb xauth libxtst6
  # to fetch the wheels
  python3 python3-pip python3-venv
)
test_packages=(g++-aarch64-linux-gnu qemu-user)
python=/usr/bin/python3
deps=build/deps
peer=build/tvm

say() { echo "setup: $*"; }
fail() {
  echo "setup: error: $1" >&2
  shift
  if [ $# -gt 0 ]; then printf '  %s\n' "$@" >&2; fi
  exit 1
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

missing_packages() {
  local installed
  installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' 2>/dev/null | sed -n 's/ installed$//p')
  comm -23 <(printf '%s\n' "${packages[@]}" | sort -u) <(sort -u <<<"$installed")
}

install_packages() {
  if ! command -v apt-get >/dev/null; then
    fail "apt-get is not here; this script knows Debian 12 only" \
      "On another system install what stands in the list at the top of packaging/setup.sh."
  fi
  local missing
  mapfile -t missing < <(missing_packages)
  if [ ${#missing[@]} = 0 ]; then
    say "all ${#packages[@]} Debian packages are installed"
    return
  fi
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
    fail "installing Debian packages needs root, and sudo is not here" \
      "As root run: apt-get install --no-install-recommends ${missing[*]}" "Then start this script again."
  fi
  say "installing ${#missing[@]} Debian packages: ${missing[*]}"
  local log
  log=$(mktemp)
  if ! { as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q -o DPkg::Lock::Timeout=120 &&
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q -o DPkg::Lock::Timeout=120 \
      --no-install-recommends "${missing[@]}"; } \
    </dev/null >"$log" 2>&1; then
    tail -n 15 "$log" >&2
    rm -f "$log"
    fail "apt could not install the Debian packages (its last lines stand above)" \
      "Check the network and /etc/apt/sources.list (Debian 12, bookworm, main), then start this script again."
  fi
  rm -f "$log"
}

# Prints the mark that a finished step leaves behind: it changes when the pinned versions or the machine change.
mark_of() { echo "$(sha256sum <"$1" | cut -d' ' -f1) $(uname -m)"; }

fetch_tvm_ffi() {
  local requirements=packaging/requirements.txt mark part
  mark=$(mark_of $requirements)
  if [ -f $deps/tvm_ffi.stamp ] && [ "$(cat $deps/tvm_ffi.stamp)" = "$mark" ] &&
    [ -f $deps/tvm_ffi/lib/libtvm_ffi.so ]; then
    say "apache-tvm-ffi is in $deps"
    return
  fi
  say "fetching apache-tvm-ffi to $deps"
  mkdir -p $deps
  part=$(mktemp -d "$deps/part.XXXXXX")
  # shellcheck disable=SC2064  # the folder of now
  trap "rm -rf '$part'" EXIT
  # The tags are named so that any Python 3 fetches the same file: its Python part is not used.
  "$python" -m pip --disable-pip-version-check download -q --no-deps --require-hashes --only-binary :all: \
    --implementation cp --python-version 3.11 --abi cp311 --platform "manylinux_2_28_$(uname -m)" \
    -d "$part" -r $requirements ||
    fail "could not download apache-tvm-ffi (pip's words stand above)" \
      "Check the network: PyPI, or the index that pip is configured for, must be reachable." \
      "If pip speaks of a hash, the file is not the one that $requirements names: do not use it."
  "$python" -m zipfile -e "$part"/apache_tvm_ffi-*.whl "$part/wheel" || fail "the wheel of apache-tvm-ffi is damaged"
  mkdir "$part/tvm_ffi"
  mv "$part"/wheel/tvm_ffi/{include,lib} "$part"/wheel/apache_tvm_ffi-*.dist-info/licenses "$part/tvm_ffi/" ||
    fail "the wheel of apache-tvm-ffi does not hold tvm_ffi/include and tvm_ffi/lib"
  rm -rf $deps/tvm_ffi
  mv "$part/tvm_ffi" $deps/tvm_ffi
  echo "$mark" >$deps/tvm_ffi.stamp
  rm -rf "$part"
}

make_peer_environment() {
  local requirements=packaging/requirements-tests.txt mark
  mark=$(mark_of $requirements)
  if [ -f $peer/stamp ] && [ "$(cat $peer/stamp)" = "$mark" ]; then
    say "the real TVM for tests is in $peer"
    return
  fi
  say "fetching the real TVM for tests to $peer (about 120 MB)"
  rm -rf $peer
  "$python" -m venv $peer || fail "python3 could not make a virtual environment in $peer"
  $peer/bin/python -m pip --disable-pip-version-check install -q --no-deps --require-hashes --only-binary :all: \
    -r $requirements ||
    fail "could not install the real TVM for tests (pip's words stand above)" \
      "Check the network. The pinned wheels are for Python 3.11; $python is $("$python" -V 2>&1)."
  $peer/bin/python -c 'import tvm' || fail "the real TVM in $peer does not load"
  echo "$mark" >$peer/stamp
}

tests=no
for argument in "$@"; do
  case $argument in
    --tests) tests=yes ;;
    -h | --help) sed -n '3,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) fail "unknown argument '$argument'" "Usage: packaging/setup.sh [--tests]" ;;
  esac
done

if [ $tests = yes ]; then packages+=("${test_packages[@]}"); fi
install_packages
fetch_tvm_ffi
if [ $tests = yes ]; then
  make_peer_environment
  bash packaging/fetch_board_libraries.sh
fi
say "done"
