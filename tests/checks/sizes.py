# SPDX-License-Identifier: Apache-2.0
"""Holds the length of files and functions against the limits."""

import ast
import re

import sources

MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 60

_LENGTH_CHECKED = {".h", ".cpp", ".py", ".sh", ".cmake"}
_ACCESS = re.compile(r"\s*(public|protected|private|Q_SIGNALS|(public|protected|private)\s+Q_SLOTS)\s*$")
_CONTAINER = re.compile(r"(inline\s+)?(namespace|class|struct|union|enum|typedef\s+struct|extern\s*\"\")(?!\w)")
_LAMBDA = re.compile(r"\[[^\[\]]*\]\s*(\([^()]*\))?\s*(mutable|noexcept|->\s*[\w:<>,&*\s]+)?\s*$")


def _simplified(head):
    """The text before a brace without templates' parameters and attributes, which may hold any word."""
    head = re.sub(r"\[\[.*?\]\]|\balignas\s*\([^()]*\)|\bQ_OBJECT\b", " ", head, flags=re.DOTALL)
    while match := re.match(r"\s*template\s*<", head):
        depth, position = 1, match.end()
        while position < len(head) and depth:
            depth += {"<": 1, ">": -1}.get(head[position], 0)
            position += 1
        head = head[position:]
    return " ".join(head.split())


def _outside_parentheses(head):
    depth, kept = 0, []
    for letter in head:
        depth -= letter == ")"
        if depth == 0:
            kept.append(letter)
        depth += letter == "("
    return "".join(kept)


def _kind_of_brace(head):
    """What the brace after `head` opens: container, function, member (of a constructor's list) or data."""
    head = _simplified(head)
    flat = _outside_parentheses(re.sub(r"\boperator\s*[^\s\w(]+", "operator", head))
    if _CONTAINER.match(head) and not re.search(r"\w\s*\(\)(?!\s*>)", re.sub(r"decltype\s*\(\)", "", flat)):
        return "container"
    if "=" in re.sub(r"[=!<>]=", "", flat):
        return "function" if _LAMBDA.search(head) else "data"
    if "()" in flat:
        in_list = re.search(r"\)[^():]*:(?!:)", flat)
        return "member" if in_list and re.search(r"[\w>]$", flat) else "function"
    return "function" if _LAMBDA.search(head) else "data"


def functions(text):
    """(first line, last line, name) of each C++ function that stands in no other one."""
    code = sources.without_preprocessor(sources.blank(text))
    found, stack, head, start, line = [], [], "", 1, 1

    def restart():
        nonlocal head
        head = ""

    for letter in code:
        line += letter == "\n"
        inside = bool(stack) and stack[-1][0] in ("function", "inner", "member")
        if letter == "{":
            kind = "inner" if inside else _kind_of_brace(head)
            stack.append((kind, start if head.strip() else line, head))
            if kind != "member":
                restart()
        elif letter == "}" and stack:
            kind, first, opened_by = stack.pop()
            if kind == "function":
                found.append((first, line, _name(opened_by)))
            if kind == "member":
                head = opened_by + "()"
                start = first
            else:
                restart()
        elif inside:
            continue
        elif letter == ";" and head.count("(") == head.count(")"):
            restart()
        elif letter == ":" and _ACCESS.match(head):
            restart()
        else:
            if not head.strip() and not letter.isspace():
                start = line
            head += letter
    return found


def _name(head):
    head = _simplified(head)
    match = re.search(r"([\w:~]+(?:\s*operator\s*\S+?)?)\s*\(", head)
    return match[1] if match else head[-40:]


def python_functions(text):
    tree = ast.parse(text)
    return [(node.lineno, node.end_lineno, node.name) for node in ast.walk(tree)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


def check(root):
    """Problems as lines of text; none when all is well."""
    problems = []
    for path in sources.project_files(root):
        checked = path.suffix in _LENGTH_CHECKED or path.name == "CMakeLists.txt"
        if not checked or path.parts[:2] == ("tests", "data"):
            continue
        text = sources.read_text(root, path)
        if text is None:
            problems.append(f"{path}: is not UTF-8 text")
            continue
        lines = text.count("\n")
        if lines > MAX_FILE_LINES:
            problems.append(f"{path}: has {lines} lines, the limit is {MAX_FILE_LINES}: split it by jobs")
        found = functions(text) if path.suffix in sources.CPP_SUFFIXES else []
        found += python_functions(text) if path.suffix == ".py" else []
        for first, last, name in found:
            if last - first + 1 > MAX_FUNCTION_LINES:
                problems.append(f"{path}:{first}: {name} has {last - first + 1} lines, the limit is "
                                f"{MAX_FUNCTION_LINES}: give its parts names")
    return problems
