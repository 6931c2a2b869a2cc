#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a fresh clone on Debian 12 to the open window: dependencies, build, start. FILE is an executable compiled by TVM
# or a report as JSON; default: the sample. Without a display it prints the table of times instead.
#
#   packaging/run.sh [FILE]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

case ${1:-} in
  -h | --help) sed -n '3,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
esac
if [ $# -gt 1 ]; then
  echo "run: error: one file at most; usage: packaging/run.sh [FILE]" >&2
  exit 2
fi
file=$(realpath -m "${1:-$root/resources/samples/basic_pitch.so}")
if [ ! -r "$file" ]; then
  echo "run: error: cannot read $file" >&2
  exit 1
fi

cd "$root"
bash packaging/setup.sh
# Builds are quiet when they go well; all of their words are kept.
build_log=build/release.log
echo "run: building build/release/bin/opscope and opscope-cli (minutes, the first time)"
if ! { cmake --preset release && cmake --build --preset release --target programs; } >$build_log 2>&1; then
  tail -n 40 $build_log >&2
  echo "run: error: the build failed; all of its output is in $root/$build_log" >&2
  exit 1
fi

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  exec build/release/bin/opscope "$file"
fi
case $file in
  *.json) build/release/bin/opscope-cli report "$file" ;;
  *) build/release/bin/opscope-cli profile "$file" ;;
esac
cat <<END

There is no display here (neither DISPLAY nor WAYLAND_DISPLAY is set), so this was the table of the command line tool.
To see the window: run the same command in a desktop session, or through ssh -X, or make a picture of it:
  QT_QPA_PLATFORM=offscreen build/release/bin/opscope "$file" --screenshot window.png
END
