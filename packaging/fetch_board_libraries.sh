#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fetches what a server for aarch64 boards is cross-built with, to build/deps/aarch64: Debian's packages for arm64,
# unpacked and not installed, and the libtvm_ffi of PyPI's wheel for aarch64. Also the source of simdjson, to
# build/deps/simdjson, because Debian has no static library of it. Called by packaging/setup.sh.
#
#   packaging/fetch_board_libraries.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=(libexpected-dev nlohmann-json3-dev libcli11-dev libfmt-dev libfmt9 libspdlog-dev libspdlog1.10
  libsimdjson-dev libsimdjson14 zlib1g-dev zlib1g libxxhash-dev libxxhash0 libcapstone-dev libcapstone4
  libpfm4-dev libpfm4)
root=$PWD/build/deps/aarch64
simdjson=$PWD/build/deps/simdjson
requirements=packaging/requirements.txt

say() { echo "setup: $*"; }
fail() {
  echo "setup: error: $1" >&2
  shift
  if [ $# -gt 0 ]; then printf '  %s\n' "$@" >&2; fi
  exit 1
}

mark=$(cat "${BASH_SOURCE[0]}" $requirements | sha256sum | cut -d' ' -f1)
if [ -f "$root/stamp" ] && [ "$(cat "$root/stamp")" = "$mark" ]; then
  say "the libraries for aarch64 boards are in build/deps/aarch64"
  exit 0
fi
say "fetching the libraries for aarch64 boards to build/deps/aarch64"
mkdir -p build/deps
part=$(mktemp -d build/deps/part.XXXXXX)
part=$PWD/$part
trap 'rm -rf "$part"' EXIT

# A list of packages of its own: neither the system's lists nor its architectures change.
mkdir -p "$part"/{lists,cache/archives,debs,root,source}
touch "$part/status"
mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 2>/dev/null |
  awk '$2 == "bookworm" {print $1; exit}' || true)
cat >"$part/sources.list" <<END
deb [arch=arm64 signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror:-http://deb.debian.org/debian} bookworm main
deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror:-http://deb.debian.org/debian} bookworm main
END
apt=(apt-get -q -o "Dir::Etc::SourceList=$part/sources.list" -o Dir::Etc::SourceParts=/dev/null
  -o "Dir::State::Lists=$part/lists" -o "Dir::State::status=$part/status" -o "Dir::Cache=$part/cache"
  -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Sandbox::User=root -o Acquire::Retries=3)
{ "${apt[@]}" update && (cd "$part/debs" && "${apt[@]}" download "${packages[@]}") &&
  (cd "$part/source" && "${apt[@]}" source --download-only simdjson); } >"$part/log" 2>&1 || {
  tail -n 15 "$part/log" >&2
  fail "apt could not download Debian's packages for arm64 (its last lines stand above)" "Check the network."
}
for package in "$part"/debs/*.deb; do
  dpkg-deb -x "$package" "$part/root"
done

python3 -m pip --disable-pip-version-check download -q --no-deps --require-hashes --only-binary :all: \
  --implementation cp --python-version 3.11 --abi cp311 --platform manylinux_2_28_aarch64 \
  -d "$part" -r $requirements ||
  fail "could not download apache-tvm-ffi for aarch64 (pip's words stand above)" "Check the network."
python3 -m zipfile -e "$part"/apache_tvm_ffi-*.whl "$part/wheel" || fail "the wheel of apache-tvm-ffi is damaged"
mkdir "$part/root/tvm_ffi"
mv "$part"/wheel/tvm_ffi/{include,lib} "$part"/wheel/apache_tvm_ffi-*.dist-info/licenses "$part/root/tvm_ffi/"

mkdir "$part/simdjson"
tar -xzf "$part"/source/simdjson_*.orig.tar.gz -C "$part/simdjson" --strip-components=1 --wildcards \
  '*/singleheader/simdjson.*' '*/LICENSE'
rm -rf "$root" "$simdjson"
mv "$part/simdjson" "$simdjson"
mv "$part/root" "$root"
echo "$mark" >"$root/stamp"
