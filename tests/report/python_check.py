# SPDX-License-Identifier: Apache-2.0
"""Reads the files that python_test.cpp wrote with Python's own modules: python_check.py FOLDER."""

import csv
import json
import pathlib
import sys


def no_constants(word):
    raise ValueError(f"{word} in JSON")


def expected_rows(path):
    """Texts by column, one dictionary a call."""
    rows, fields = [], path.read_bytes().decode().split("\0")
    row, position = {}, 0
    while position < len(fields) - 1:
        if fields[position] == "\1":
            rows.append(row)
            row, position = {}, position + 1
        else:
            row[fields[position]] = fields[position + 1]
            position += 2
    return rows


def check_report(folder, number):
    expected = expected_rows(folder / f"{number}.rows")
    report = json.loads((folder / f"{number}.json").read_bytes(), parse_constant=no_constants)
    assert list(report) == ["calls", "device_metrics", "configuration"], number
    texts = [{name: value["string"] for name, value in call.items() if "string" in value}
             for call in report["calls"]]
    assert texts == expected, (number, texts, expected)
    with open(folder / f"{number}.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(expected), number
    for row, call, wanted in zip(rows, report["calls"], expected):
        for name, value in row.items():
            if name in wanted:
                assert value == wanted[name], (number, name, value)
            elif name in call:
                (number_read,) = call[name].values()
                assert abs(float(value) - number_read) <= 5e-6 * abs(number_read), (number, name)
            else:
                assert value == "", (number, name, value)


def main(folder):
    for number in range(30):
        check_report(folder, number)
    samples = json.loads((folder / "x.samples").read_bytes(), parse_constant=no_constants)
    assert samples["schema"] == "opscope.samples/1"
    assert samples["executablePath"] == '/models/"net".so'
    assert samples["calls"][1]["ownNs"] == [10000.0, 14000.0]
    assert samples["ops"][0]["statisticsUs"]["median"] == 37.0
    trace = json.loads((folder / "x.trace").read_bytes(), parse_constant=no_constants)
    assert sum(event["ph"] == "X" and "instruction" in event["args"] for event in trace["traceEvents"]) == 8


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
