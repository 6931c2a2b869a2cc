# SPDX-License-Identifier: Apache-2.0
"""Reads what comparison_formats_test.cpp wrote with Python's own modules: comparison_formats_check.py FOLDER."""

import json
import pathlib
import sys
import xml.etree.ElementTree

VERDICTS = {"faster", "slower", "same", "too noisy", "new", "gone", "no samples"}


def no_constants(word):
    raise ValueError(f"{word} in JSON")


def check_op(op):
    assert op["verdict"] in VERDICTS, op
    assert (op["a"] is None) == (op["verdict"] == "new"), op
    assert (op["b"] is None) == (op["verdict"] == "gone"), op
    if op["verdict"] in ("slower", "faster"):
        assert op["p_holm"] < 0.05 and op["ratio_low"] <= op["ratio"] <= op["ratio_high"], op
        assert (op["ratio"] > 1) == (op["verdict"] == "slower"), op
    assert (op["reason"] is None) == (op["verdict"] in ("new", "gone", "no samples")), op
    if op["reason"] == "not significant after correction":
        assert op["p"] < 0.05 <= op["p_holm"] and not op["ratio_low"] <= 1 <= op["ratio_high"], op
    for key in ("ratio", "ratio_low", "ratio_high", "p", "p_holm", "more_repeats"):
        assert op[key] is None or op[key] >= 0, op


def check_junit(root, found):
    assert root.tag == "testsuites" and len(root) == 1
    suite = root[0]
    cases = suite.findall("testcase")
    assert len(cases) == len(found["ops"]) + 1 == int(suite.get("tests")) == int(root.get("tests"))
    names = [case.get("name") for case in cases]
    assert len(set(names)) == len(names), names
    failing = [case for case in cases if case.find("failure") is not None]
    assert len(failing) == int(suite.get("failures"))
    assert len([case for case in cases if case.find("skipped") is not None]) == int(suite.get("skipped"))
    if found["fail_above_percent"] is not None:
        assert len(failing) == sum(op["fails"] for op in [found["total"], *found["ops"]])
    assert all(float(case.get("time")) >= 0 for case in cases)


def check_markdown(text, found):
    rows = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| Op ")]
    assert len(rows) == len(found["ops"]) + 1, (len(rows), text)
    for row in rows:
        assert row.replace("\\\\", "").replace("\\|", "").count("|") == 8, row
    for word in ("nan", "inf %", "inf µs"):
        assert word not in text, text


def main(folder):
    for number in range(30):
        found = json.loads((folder / f"{number}.json").read_bytes(), parse_constant=no_constants)
        assert found["schema"] == "opscope.compare/1"
        assert sum(found["counts"].values()) == len(found["ops"])
        for op in [found["total"], *found["ops"]]:
            check_op(op)
        check_junit(xml.etree.ElementTree.parse(folder / f"{number}.xml").getroot(), found)
        check_markdown((folder / f"{number}.md").read_text(encoding="utf-8"), found)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
