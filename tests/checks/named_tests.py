# SPDX-License-Identifier: Apache-2.0
"""Tests that the documentation names by their names exist."""

import re

import sources

_QUOTED = re.compile(r"`([^`\n]+)`")
_PYTHON = re.compile(r"\btest_\w+")
_SUITE = re.compile(r"^(?:\w+: *)?([A-Z]\w+)\.([A-Z]\w+)$")
_DEFINED = re.compile(r"\bTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)|\bdef (test_\w+)\(")


def defined_tests(texts):
    names = set()
    for text in texts:
        for suite, name, function in _DEFINED.findall(text):
            names.add(function or f"{suite}.{name}")
    return names


def named_tests(text):
    """(line, name) of each test that is named: "test_words" of Python's, "Suite.Name" of GoogleTest's."""
    for number, line in enumerate(text.splitlines(), 1):
        for quoted in _QUOTED.findall(line):
            if match := _SUITE.match(quoted):
                yield number, f"{match[1]}.{match[2]}"
            yield from ((number, name) for name in _PYTHON.findall(quoted))


def check(root):
    """Problems as lines of text; none when all is well."""
    files = list(sources.project_files(root))
    tests = defined_tests(sources.read_text(root, path) or "" for path in files
                          if path.parts[0] == "tests" and path.suffix in (".cpp", ".py"))
    return [f"{path}:{number}: there is no test {name}"
            for path in files if path.parts[0] == "docs" and path.suffix == ".md"
            for number, name in named_tests(sources.read_text(root, path) or "") if name not in tests]
