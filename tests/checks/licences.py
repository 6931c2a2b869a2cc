# SPDX-License-Identifier: Apache-2.0
"""Holds the SPDX line of each source file against the licence of its folder."""

import sources

_DEFAULT = "Apache-2.0"
_BY_FOLDER = {"ui": "GPL-3.0-or-later", "app/workbench": "GPL-3.0-or-later", "tests/ui": "GPL-3.0-or-later"}
_COMMENT = {".h": "//", ".cpp": "//", ".py": "#", ".sh": "#", ".cmake": "#"}
_COMMENT_BY_NAME = {"CMakeLists.txt": "#", ".clang-format": "#", "requirements.txt": "#", "requirements-tests.txt": "#"}


def expected_licence(path):
    name = path.as_posix()
    return next((licence for folder, licence in _BY_FOLDER.items() if name.startswith(folder + "/")), _DEFAULT)


def _comment_of(path, lines):
    if lines and lines[0].startswith("#!"):
        return "#"
    return _COMMENT.get(path.suffix) or _COMMENT_BY_NAME.get(path.name)


def check(root):
    """Problems as lines of text; none when all is well."""
    problems = []
    for path in sources.project_files(root):
        text = sources.read_text(root, path)
        if text is None or path.parts[:2] == ("tests", "data"):
            continue
        lines = text.split("\n", 2)
        comment = _comment_of(path, lines)
        if comment is None:
            continue
        number = 1 if lines[0].startswith("#!") else 0
        found = lines[number].strip() if len(lines) > number else ""
        expected = f"{comment} SPDX-License-Identifier: {expected_licence(path)}"
        if found != expected:
            problems.append(f"{path}:{number + 1}: expected the line '{expected}', found '{found[:60]}'")
    return problems
