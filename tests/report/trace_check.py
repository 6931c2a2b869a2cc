# SPDX-License-Identifier: Apache-2.0
"""Holds traces against the public description of the Trace Event Format ("Trace Event Format", Google, 2016):
trace_check.py FILE... prints what is wrong, one line each, and exits with 1.

Beyond the description it asks what viewers need to show a trace as it was meant: named tracks, threads of one
process each, events in order of time on each track, and complete events that lie within one another or apart."""

import collections
import decimal
import json
import sys

PHASES = set("BEXiIC" "bne" "stf" "P" "NOD" "MVvRc" "()")
METADATA = {"process_name": ("name", str), "thread_name": ("name", str), "process_labels": ("labels", str),
            "process_sort_index": ("sort_index", int), "thread_sort_index": ("sort_index", int)}


def no_constants(word):
    raise ValueError(f"{word} in JSON")


def is_number(value):
    return isinstance(value, (int, decimal.Decimal)) and not isinstance(value, bool)


class Checker:
    def __init__(self):
        self.problems = []
        self.tracks = collections.defaultdict(list)  # (pid, tid): (ts, dur, index)
        self.opened = collections.defaultdict(list)  # (pid, tid): names of B events
        self.named = {"process": set(), "thread": set()}
        self.process_of_thread = {}
        self.last_counter = {}

    def say(self, index, words):
        self.problems.append(f"event {index}: {words}")

    def check(self, trace):
        if isinstance(trace, dict):
            if trace.get("displayTimeUnit", "ms") not in ("ms", "ns"):
                self.problems.append("displayTimeUnit is neither ms nor ns")
            trace = trace.get("traceEvents")
        if not isinstance(trace, list):
            self.problems.append("there is no array of events")
            return
        for index, event in enumerate(trace):
            self.check_event(index, event)
        for (pid, tid), names in self.opened.items():
            if names:
                self.problems.append(f"track {pid}/{tid}: B without E: {names}")
        for track, events in self.tracks.items():
            self.check_track(track, events)

    def check_event(self, index, event):
        if not isinstance(event, dict):
            self.say(index, "is no object")
            return
        phase = event.get("ph")
        if phase not in PHASES:
            self.say(index, f"has the phase {phase!r}")
            return
        for key in ("pid", "tid"):
            if not isinstance(event.get(key), int):
                self.say(index, f"{key} is no integer")
        if phase != "E" and not isinstance(event.get("name"), str):
            self.say(index, "name is no text")
        if not isinstance(event.get("args", {}), dict):
            self.say(index, "args is no object")
        if not isinstance(event.get("cat", ""), str):
            self.say(index, "cat is no text")
        if phase == "M":
            self.check_metadata(index, event)
            return
        if not is_number(event.get("ts")) or event["ts"] < 0:
            self.say(index, "ts is no number of microseconds from 0")
            return
        track = (event.get("pid"), event.get("tid"))
        if phase == "X":
            if not is_number(event.get("dur")) or event["dur"] < 0:
                self.say(index, "dur is no number of microseconds from 0")
                return
            self.tracks[track].append((event["ts"], event["dur"], index))
            if self.process_of_thread.setdefault(track[1], track[0]) != track[0]:
                self.say(index, f"thread {track[1]} belongs to two processes")
        elif phase == "B":
            self.opened[track].append(event["name"])
        elif phase == "E":
            if not self.opened[track]:
                self.say(index, "E without B")
            elif self.opened[track].pop() != event.get("name", ""):
                self.say(index, "E does not end the last B")
        elif phase == "C":
            self.check_counter(index, event)

    def check_metadata(self, index, event):
        if event["name"] not in METADATA:
            return  # others are allowed, viewers pass them over
        key, kind = METADATA[event["name"]]
        if not isinstance(event.get("args", {}).get(key), kind):
            self.say(index, f"args.{key} of {event['name']} is wrong")
        if event["name"] in ("process_name", "thread_name"):
            what = event["name"].removesuffix("_name")
            name = event["pid"] if what == "process" else (event["pid"], event["tid"])
            if name in self.named[what]:
                self.say(index, f"{what} {name} has two names")
            self.named[what].add(name)

    def check_counter(self, index, event):
        values = event.get("args", {})
        if not values or not all(is_number(value) for value in values.values()):
            self.say(index, "a counter needs numbers in args")
        series = (event.get("pid"), event["name"])
        if event["ts"] < self.last_counter.get(series, 0):
            self.say(index, f"counter {series} goes back in time")
        self.last_counter[series] = event["ts"]

    def check_track(self, track, events):
        if track[0] not in self.named["process"]:
            self.problems.append(f"process {track[0]} has no name")
        if track not in self.named["thread"]:
            self.problems.append(f"thread {track} has no name")
        ends = []  # of the events around, outermost first
        last = -1
        for start, duration, index in events:
            if start < last:
                self.say(index, "begins before the one before it on its track")
            last = start
            while ends and ends[-1] <= start:
                ends.pop()
            if ends and start + duration > ends[-1]:
                self.say(index, f"ends {start + duration - ends[-1]} us after the one around it")
            ends.append(start + duration)


def problems_of(content):
    """What is wrong with a trace in bytes, as texts."""
    checker = Checker()
    try:
        checker.check(json.loads(content.decode("utf-8"), parse_constant=no_constants,
                                 parse_float=decimal.Decimal))
    except ValueError as error:
        checker.problems.append(f"is no JSON: {error}")
    return checker.problems


def main(paths):
    status = 0
    for path in paths:
        with open(path, "rb") as file:
            for problem in problems_of(file.read()):
                print(f"{path}: {problem}")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
