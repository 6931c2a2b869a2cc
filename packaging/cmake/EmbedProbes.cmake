# SPDX-License-Identifier: Apache-2.0
# cmake -DFILES=a.so;b.so -DNAMES=x86-64;aarch64 -DOUT=probe_bytes.cpp -P EmbedProbes.cmake
# Writes the files' bytes as a source: the list that engine/session/probe_bytes.h declares.
set(text "// SPDX-License-Identifier: Apache-2.0\n#include \"engine/session/probe_bytes.h\"\n\nnamespace opscope::session {\n\n")
set(rows "")
set(count 0)
foreach(file name IN ZIP_LISTS FILES NAMES)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND text "static const unsigned char kBytes${count}[] = {\n${bytes}};\n\n")
  string(APPEND rows "      {\"${name}\", {reinterpret_cast<const char*>(kBytes${count}), sizeof kBytes${count}}},\n")
  math(EXPR count "${count} + 1")
endforeach()
string(APPEND text "const std::vector<ProbeBytes>& probeBytes() {\n  static const std::vector<ProbeBytes> list = {\n${rows}  };\n  return list;\n}\n\n}  // namespace opscope::session\n")
file(WRITE ${OUT} "${text}")
