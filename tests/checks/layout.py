# SPDX-License-Identifier: Apache-2.0
"""Holds the layout of C++ text against .clang-format."""

import collections
import re
import shutil
import subprocess

import sources

# Other versions lay out some lines differently; Debian 12 brings this one.
_VERSION = "14"
_FILES_AT_ONCE = 40


def _find_tool():
    """(path, None) of clang-format in the right version, or (None, problem)."""
    found = []
    for name in (f"clang-format-{_VERSION}", "clang-format"):
        if path := shutil.which(name):
            version = subprocess.run([path, "--version"], capture_output=True, text=True).stdout.strip()
            if f"version {_VERSION}." in version:
                return path, None
            found.append(version)
    there = f"found: {'; '.join(found)}" if found else "none is installed"
    return None, f"clang-format {_VERSION} is missing ({there}); packaging/setup.sh installs it"


def check(root):
    """Problems as lines of text; none when all is well."""
    files = [path.as_posix() for path in sources.cpp_files(root)]
    tool, problem = _find_tool()
    if tool is None:
        return [problem]
    problems = []
    for begin in range(0, len(files), _FILES_AT_ONCE):
        done = subprocess.run([tool, "--dry-run", "--Werror", "--style=file", *files[begin:begin + _FILES_AT_ONCE]],
                              cwd=root, capture_output=True, text=True)
        places = collections.Counter()
        for line in done.stderr.splitlines():
            if match := re.match(r"(.+?):\d+:\d+: error: ", line):
                places[match[1]] += 1
        if done.returncode != 0 and not places:
            problems.append(done.stderr.strip() or f"{tool} ended with status {done.returncode}")
        problems += [f"{file}: {count} places differ from .clang-format" for file, count in places.items()]
    if problems:
        problems.append("clang-format -i FILE mends these")
    return problems
