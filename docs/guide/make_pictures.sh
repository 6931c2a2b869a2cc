#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the pictures of the guide with the program itself, from the runs in docs/guide/samples.
#
#   docs/guide/make_pictures.sh [OPSCOPE]     OPSCOPE: build/dev/bin/opscope, or that of another build
#
# Needs ImageMagick (Debian package imagemagick) to bring the pictures to few colours.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
opscope=${1:-$root/build/dev/bin/opscope}
into=$root/docs/guide/images
most_bytes=150000

[ -x "$opscope" ] || { echo "make_pictures: there is no $opscope; build the target opscope first" >&2; exit 1; }
command -v convert >/dev/null || { echo "make_pictures: there is no convert; install imagemagick" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for name in before after; do gzip -dc "$root/docs/guide/samples/$name.json.gz" >"$work/$name.json"; done
cp "$root/resources/samples/basic_pitch.so" "$root"/tests/data/vm/tvm027/tiny_llama.{so,scenario.json,npz} "$work/"
export QT_QPA_PLATFORM=offscreen FONTCONFIG_FILE=$root/tests/ui/support/fonts.conf LC_ALL=C.UTF-8 TZ=UTC
export XDG_CONFIG_HOME=$work/config XDG_DATA_HOME=$work/data XDG_CACHE_HOME=$work/cache XDG_RUNTIME_DIR=$work
mkdir -p "$into"
cd "$work"

# picture NAME SIZE ARGUMENT...: the window with these arguments
picture() {
  local name=$1 size=$2
  shift 2
  "$opscope" "$@" --screenshot "$work/$name.png" --theme light --size "$size"
  convert "$work/$name.png" +dither -colors 200 -strip -define png:compression-level=9 \
    -define png:compression-filter=0 "PNG8:$into/$name.png"
  local bytes
  bytes=$(stat -c %s "$into/$name.png")
  if [ "$bytes" -gt $most_bytes ]; then
    echo "make_pictures: $name.png has $bytes bytes, more than $most_bytes" >&2
    exit 1
  fi
  echo "$name.png $bytes"
}

picture start 1100x620
picture running 1320x780 basic_pitch.so --no-run
picture scenario 1320x780 tiny_llama.so tiny_llama.scenario.json tiny_llama.npz --no-run
# Measured now: make it while the computer is quiet.
picture steps 1320x780 tiny_llama.so tiny_llama.scenario.json tiny_llama.npz --page timeline
picture summary 1320x780 after.json
picture ops 1320x780 after.json --page ops
picture timeline 1320x780 after.json --page timeline
picture charts 1320x780 after.json --page charts
picture compare 1320x780 before.json after.json --page compare
picture memory 1320x780 after.json --page memory
picture code 1320x780 basic_pitch.so --no-run --page code
