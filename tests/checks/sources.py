# SPDX-License-Identifier: Apache-2.0
"""Finds the files of the project and takes C++ text apart as far as the checks need."""

import os
import pathlib
import re

CPP_SUFFIXES = {".h", ".cpp"}
_SKIPPED = {".git", ".cache", "build", "__pycache__"}


def project_files(root):
    """All files under `root` as relative paths, sorted, without what git or a build puts there."""
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        found += [(pathlib.Path(folder) / name).relative_to(root) for name in names]
    return sorted(path for path in found if path.name not in _SKIPPED and path.suffix != ".pyc")


def cpp_files(root):
    """C++ files of the project, fixtures left out."""
    return [path for path in project_files(root)
            if path.suffix in CPP_SUFFIXES and path.parts[:2] != ("tests", "data")]


def read_text(root, path):
    """The file's text, or None when it is not text."""
    try:
        return (root / path).read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return None


def includes(text):
    """(line number, name, quoted) of each #include outside comments."""
    pattern = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
    result = []
    for number, line in enumerate(blank(text, keep_strings=True).splitlines(), 1):
        if match := pattern.match(line):
            result.append((number, match[1] or match[2], match[1] is not None))
    return result


_TOKEN = re.compile(
    r'(?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)'
    r'|(?P<raw>(?:u8|[uUL])?R"(?P<delimiter>[^()\\\s]{0,16})\(.*?\)(?P=delimiter)")'
    r'|(?P<string>"(?:\\.|[^"\\\n])*")'
    r"|(?P<number>\b\d(?:'?[\w.])*)"
    r"|(?P<char>'(?:\\.|[^'\\\n])+')", re.DOTALL)


def blank(text, keep_strings=False):
    """`text` with comments made spaces and strings made empty; every line stays on its number."""

    def spaced(match):
        if match.lastgroup == "number" or match["number"]:
            return match[0]
        if match["comment"]:
            return re.sub(r"[^\n]", " ", match[0])
        if keep_strings:
            return match[0]
        return '""' + "\n" * match[0].count("\n")

    return _TOKEN.sub(spaced, text)


def without_preprocessor(code):
    """Blanked code without directives; of #if ... #else only the first branch stays, so that braces balance."""
    lines = code.split("\n")
    dropped = []  # one entry for each open #if: True in an #else or #elif branch
    continued = False
    for index, line in enumerate(lines):
        directive = re.match(r"\s*#\s*(\w+)", line)
        if directive and not continued:
            word = directive[1]
            if word in ("if", "ifdef", "ifndef"):
                dropped.append(False)
            elif word in ("else", "elif") and dropped:
                dropped[-1] = True
            elif word == "endif" and dropped:
                dropped.pop()
        is_directive = bool(directive) or continued
        continued = is_directive and line.endswith("\\")
        if is_directive or any(dropped):
            lines[index] = ""
    return "\n".join(lines)
