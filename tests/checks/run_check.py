# SPDX-License-Identifier: Apache-2.0
"""Runs one check on the project: run_check.py RULE [ROOT]. Exit status 1 when it finds a problem."""

import importlib
import pathlib
import sys

RULES = {
    "layers": "every #include keeps to the table of layers",
    "sizes": "files and functions keep to the limits of length",
    "licences": "every source file has the SPDX line of its folder",
    "layout": "C++ text is laid out by .clang-format",
    "named_tests": "tests that the documentation names exist",
    "words": "no paths of one machine and no notes of unfinished work",
}


def main(arguments):
    if not 1 <= len(arguments) <= 2 or arguments[0] not in RULES:
        print(f"usage: run_check.py {'|'.join(RULES)} [ROOT]", file=sys.stderr)
        return 2
    root = pathlib.Path(arguments[1] if len(arguments) == 2 else pathlib.Path(__file__).parents[2]).resolve()
    problems = importlib.import_module(arguments[0]).check(root)
    for problem in problems:
        print(problem)
    print(f"{arguments[0]}: {RULES[arguments[0]]}: {f'{len(problems)} problems' if problems else 'holds'}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
