# SPDX-License-Identifier: Apache-2.0
"""Looks for words that must not stay in the project: paths of one machine, notes of unfinished work."""

import re

import sources

# Written in two parts, so that this file does not find itself.
_FORBIDDEN = [
    (re.compile("/wo" + r"rk/|/tm" + r"p/tvmvenv"), "a path of one machine"),
    (re.compile(r"(?<![\w-])sha" + r"red/[a-z]"), "a path outside the project"),
    (re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b"), "a note of unfinished work"),
]
_LEFT_OUT = {"LICENSE", "LICENSE.GPL-3.0"}


def check(root):
    """Problems as lines of text; none when all is well."""
    problems = []
    for path in sources.project_files(root):
        text = None if path.as_posix() in _LEFT_OUT else sources.read_text(root, path)
        for number, line in enumerate((text or "").splitlines(), 1):
            for pattern, meaning in _FORBIDDEN:
                if match := pattern.search(line):
                    problems.append(f"{path}:{number}: '{match[0]}' is {meaning}")
    return problems
