# SPDX-License-Identifier: Apache-2.0
"""Holds our HTML pages against what they promise: html_check.py FILE... prints what is wrong and exits with 1.

Each element is closed, nothing is fetched from elsewhere, no text is a handler of events, and no number for people is
nan, inf, negative or more than 100 %."""

import html.parser
import re
import sys

VOID = {"meta", "br", "wbr", "hr", "img", "input", "link"}
FETCHING = {"src", "href", "srcset", "action", "data", "poster", "xlink:href", "background"}


class Checker(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.problems, self.open, self.scripts, self.texts, self.styles = [], [], 0, [], []

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in FETCHING:
                self.problems.append(f"<{tag} {name}={value!r}> fetches")
            if name.startswith("on"):
                self.problems.append(f"<{tag} {name}> handles events")
            if name == "style":
                self.styles.append(value or "")
            if name in ("x", "y", "width", "height", "cx", "cy", "r", "x1", "x2", "y1", "y2", "d", "data-v"):
                self.texts.append(value or "")
        self.scripts += tag == "script"
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.problems.append(f"</{tag}> at {self.getpos()} closes {self.open[-3:]}")
        if tag in self.open:
            while self.open.pop() != tag:
                pass

    def handle_data(self, data):
        if self.open and self.open[-1] == "style":
            self.styles.append(data)
        elif not self.open or self.open[-1] != "script":
            self.texts.append(data)

    def finish(self):
        self.close()
        if self.open:
            self.problems.append(f"not closed: {self.open}")
        if self.scripts != 1:
            self.problems.append(f"{self.scripts} scripts")
        if any(re.search(r"url\(|@import", style) for style in self.styles):
            self.problems.append("a style fetches")
        for text in self.texts:
            if re.search(r"(?i)(?<![a-z])(nan|inf|infinity)(?![a-z])", text):
                self.problems.append(f"no number: {text!r}")
            for number in re.findall(r"([−-]?[\d\u202f]+(?:\.\d+)?)\u00a0%", text):
                if not 0 <= float(number.replace("\u202f", "").replace("−", "-")) <= 100:
                    self.problems.append(f"no percentage: {text!r}")
        return self.problems


def main(paths):
    status = 0
    for path in paths:
        checker = Checker()
        with open(path, encoding="utf-8") as file:
            checker.feed(file.read())
        for problem in checker.finish():
            print(f"{path}: {problem}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
