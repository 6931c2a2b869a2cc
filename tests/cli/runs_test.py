# SPDX-License-Identifier: Apache-2.0
"""runs and profile --save: the store of saved runs, from outside."""

import array
import csv
import io
import json
import os
import re
import signal
import sqlite3
import unittest

from cli import VM, CliTest, start


class RunsTest(CliTest):
    """A test with a store of its own."""

    def setUp(self):
        super().setUp()
        self.store = self.folder / "runs.sqlite"
        os.environ["OPSCOPE_STORE"] = str(self.store)
        self.addCleanup(os.environ.pop, "OPSCOPE_STORE")

    def save(self, name="mlp.so", *options):
        done = self.run_cli("profile", VM / name, "--repeat", "4", "--save", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return int(re.search(r"^opscope: saved as run (\d+) in ", done.stderr, re.MULTILINE)[1])

    def listed(self, *options):
        found = json.loads(self.succeeds("runs", "list", "--json", *options))
        self.assertEqual(found["schema"], "opscope.runs/1")
        return found["runs"]

    def query(self, sql):
        return json.loads(self.succeeds("runs", "sql", sql, "--json"))["rows"]


class Save(RunsTest):
    def test_a_saved_run_is_what_profile_wrote(self):
        files = {"json": "a.json", "csv": "a.csv", "table": "a.txt", "samples": "a.samples", "trace": "a.trace",
                 "html": "a.html"}
        first = [word for key, name in files.items() for word in (f"--{key}", self.folder / name)]
        self.assertEqual(self.save("mlp.so", "--memory", "--lanes", *first), 1)
        second = [word for key, name in files.items() for word in (f"--{key}", self.folder / f"again.{name}")]
        self.succeeds("runs", "export", "1", *second)
        for name in files.values():
            self.assertEqual((self.folder / f"again.{name}").read_bytes(), (self.folder / name).read_bytes(), name)

    def test_quiet_prints_the_number_alone(self):
        for number in (1, 2):
            done = self.run_cli("profile", VM / "mlp.so", "--repeat", "2", "--save", "--quiet")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, f"{number}\n", ""))
        taken = self.succeeds("profile", VM / "mlp.so", "--repeat", "2", "--save", "--quiet", "--json", "-")
        self.assertIn("calls", json.loads(taken), "what was asked to go there stands alone")
        swept = ("sweep", VM / "mlp_dyn.so", "--over", "n=1,2", "--repeat", "2", "--save", "--quiet")
        self.assertEqual(self.succeeds(*swept), "4\n5\n")
        self.assertEqual(len(json.loads(self.succeeds(*swept, "--json"))["points"]), 2)
        self.assertEqual(self.succeeds("profile", VM / "mlp.so", "--repeat", "2", "--quiet"), "")

    def test_show_prints_what_profile_printed(self):
        done = self.run_cli("profile", VM / "mlp.so", "--repeat", "3", "--memory", "--lanes", "--save", "--note", "as it was")
        shown = self.succeeds("runs", "show", "last")
        self.assertTrue(shown.endswith("\n\n" + done.stdout))
        self.assert_says(shown, "mlp.so", "as it was", "Started", "CPU")
        found = json.loads(self.succeeds("runs", "show", "run:1", "--json"))
        self.assertEqual(list(found), ["schema", "run", "environment", "warnings", "noise", "overhead", "report"])
        self.assertEqual(found["report"], json.loads(self.succeeds("report", "run:1", "--format", "json")))

    def test_report_reads_saved_runs(self):
        self.save("mlp.so")
        self.save("chain.so")
        self.assert_says(self.succeeds("report", "run:last"), "Executor: VM")
        self.assert_says(self.succeeds("report", "run:last-1"), "matmul")
        self.assert_says(self.succeeds("report", "run:1", "--store", self.store), "matmul")
        self.assert_says(self.fails(1, "report", "run:7"), "no run 7", "the last one 2")
        self.assert_says(self.fails(1, "report", "run:last-2"), "fewer than 3")
        self.assert_says(self.fails(1, "report", "run:x"), '"run:x" names no run')

    def test_what_cannot_name_a_run_is_a_mistake_of_usage(self):
        self.save("mlp.so")
        for command in (["show"], ["export", "--json", "-"], ["note", "x"], ["tag", "best"]):
            for name in ("abc", "5-2", "last-", "last-x", "1.5", "-1", ""):
                words = ["runs", command[0], "--", name, *command[1:]] if command[0] in ("note", "tag") else [
                    "runs", *command, "--", name]
                self.assert_says(self.fails(2, *words), "RUN")
        for name in ("abc", "5-2", "3-", "3-x", "1-2-3"):
            self.assert_says(self.fails(2, "runs", "delete", name), "RUN", f'"{name}"')
        self.assert_says(self.fails(2, "runs", "delete", "5-2"), "begins behind its end")
        self.assert_says(self.fails(1, "runs", "show", "7"), "no run 7")
        self.assert_says(self.fails(1, "runs", "delete", "7-9"), "no run from 7 to 9")
        self.assertEqual(len(self.listed()), 1)

    def test_an_interrupted_run_is_saved_and_marked(self):
        running = start("profile", VM / "chain.so", "--verbose", "--repeat", 100_000, "--save", "--quiet")
        for line in running.stderr:
            if re.search(r"measuring, [1-9]\d* of", line, re.IGNORECASE):
                break
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=120)
        self.assertEqual(running.returncode, 130)
        (run,) = self.listed()
        self.assertFalse(run["complete"])
        self.assertGreater(run["repeats"], 0)
        self.assertLess(run["repeats"], run["repeats_wanted"])
        self.assertEqual(run["failure"], "Stopped on request.")
        self.assert_says(self.succeeds("runs", "list"), f"{run['repeats']} of 100000")
        self.assert_says(self.succeeds("runs", "show", "1"), "Incomplete", "Stopped on request.")

    def test_a_store_that_takes_nothing_is_told_before_the_run(self):
        self.store.write_text("no store at all, but somebody's text")
        text = self.fails(1, "profile", VM / "chain.so", "--repeat", "1000000", "--save")
        self.assert_says(text, "is not a store of runs", "It was left as it is")
        self.assertEqual(self.store.read_text(), "no store at all, but somebody's text")
        self.assert_says(self.fails(1, "profile", VM / "chain.so", "--save", "--store", self.folder / "no" / "s"), "no/s")
        self.assert_says(self.fails(2, "profile", VM / "chain.so", "--tag", "x"), "go with --save")

    def test_a_run_that_the_store_does_not_take_is_kept_in_a_file(self):
        """The store becomes something else while the run goes on."""
        running = start("profile", VM / "chain.so", "--verbose", "--repeat", 100_000, "--save", "--quiet", cwd=self.folder)
        for line in running.stderr:
            if re.search(r"measuring, [1-9]\d* of", line, re.IGNORECASE):
                break
        self.store.write_bytes(b"x" * 5000)
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=120)
        self.assertEqual(running.returncode, 130, errors)
        self.assert_says(errors, "is not a store of runs")
        kept = re.search(r"The run is kept in (\S+);", errors)[1]
        self.assert_says(self.succeeds("report", kept), "Executor: VM")

    def test_the_usual_place(self):
        environment = {key: value for key, value in os.environ.items() if key not in ("OPSCOPE_STORE", "XDG_DATA_HOME")}
        for variable, place in (("XDG_DATA_HOME", "opscope/runs.sqlite"), ("HOME", ".local/share/opscope/runs.sqlite")):
            home = self.folder / variable
            env = {**environment, variable: str(home)}
            self.assertEqual(json.loads(self.run_cli("runs", "list", "--json", env=env).stdout)["runs"], [])
            done = self.run_cli("profile", VM / "mlp.so", "--repeat", "1", "--save", env=env)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue((home / place).is_file())
            self.assertEqual((home / place).parent.stat().st_mode & 0o777, 0o700)


class Runs(RunsTest):
    def test_list_filters(self):
        self.save("mlp.so", "--tag", "a", "--note", "one")
        self.save("chain.so", "--tag", "a", "--tag", "b")
        self.save("mlp.so")
        self.assertEqual([run["id"] for run in self.listed()], [3, 2, 1])
        self.assertEqual([run["id"] for run in self.listed("--executable", "mlp")], [3, 1])
        self.assertEqual([run["id"] for run in self.listed("--executable", self.listed()[1]["hash"][:8])], [2])
        self.assertEqual([run["id"] for run in self.listed("--tag", "a")], [2, 1])
        self.assertEqual([run["id"] for run in self.listed("--tag", "a", "--tag", "b")], [2])
        self.assertEqual([run["id"] for run in self.listed("--limit", "1")], [3])
        self.assertEqual(len(self.listed("--since", "1h")), 3)
        self.assertEqual(len(self.listed("--since", "2020-02-29 10:00")), 3)
        self.assertEqual(self.listed("--since", "2999-01-01"), [])
        text = self.succeeds("runs", "list")
        self.assertEqual(text.splitlines()[0].split(), ["Run", "Started", "(UTC)", "Executable", "Function", "Repeats",
                                                       "Median", "Tags", "Note"])
        self.assert_says(text, "a, b", "one")
        self.assertRegex(self.run_cli("runs", "list", "--limit", "2").stderr, r"^opscope: 2 of 3 runs, \d.* in ")
        for bad in ("yesterday", "2026-02-30", "7w", "-1d", "2026-01-01T25:00"):
            self.assert_says(self.fails(2, "runs", "list", f"--since={bad}"), "--since needs a time")

    def test_notes_and_tags(self):
        self.save("mlp.so", "--tag", "old")
        self.succeeds("runs", "note", "last", "after all")
        self.succeeds("runs", "tag", "1", "new", "newer", "--remove", "old")
        (run,) = self.listed()
        self.assertEqual((run["note"], run["tags"]), ("after all", ["new", "newer"]))
        self.succeeds("runs", "note", "1", "")
        self.assertEqual(self.listed()[0]["note"], "")
        self.assertIn('run 1 has no tag "none"', self.run_cli("runs", "tag", "1", "--remove", "none").stderr)
        self.assert_says(self.fails(1, "runs", "note", "9", "x"), "no run 9")
        self.assert_says(self.fails(2, "runs", "tag", "1"), "No tag is named")

    def test_delete(self):
        for _ in range(6):
            self.save("mlp.so")
        self.succeeds("runs", "tag", "5", "junk")
        self.assert_says(self.fails(2, "runs", "delete", "1-3"), "would delete 3 runs: 1, 2 and 3", "--yes")
        self.assertEqual(len(self.listed()), 6)
        self.assert_says(self.run_cli("runs", "delete", "last").stderr, "deleted run 6; left: 5 runs, ")
        found = json.loads(self.succeeds("runs", "delete", "1-3", "run:2", "--tag", "junk", "--yes", "--json"))
        self.assertEqual(found["deleted"], [1, 2, 3, 5])
        self.assertEqual(found["store_runs"], 1)
        self.assert_says(self.fails(1, "runs", "delete", "4", "5", "--yes"), "no run 5")
        self.assertEqual([run["id"] for run in self.listed()], [4], "all or none")
        self.assert_says(self.fails(1, "runs", "delete", "7-9"), "no run from 7 to 9")
        self.assert_says(self.fails(1, "runs", "delete", "--tag", "none"), 'has the tag "none"')
        self.assert_says(self.fails(2, "runs", "delete"), "No run is named")

    def test_sql(self):
        self.save("mlp.so")
        self.save("chain.so")
        samples = json.loads(self.succeeds("runs", "export", "1", "--samples", "-"))
        sums = {}
        for call in samples["calls"]:
            sums.setdefault(samples["names"][call["name"]], []).extend(call["ownNs"])
        rows = self.query("SELECT name, count(*), avg(duration_us) FROM samples WHERE run = 1 GROUP BY name")
        self.assertEqual({name: count for name, count, _ in rows}, {name: len(ns) for name, ns in sums.items()})
        for name, _, mean in rows:
            self.assertAlmostEqual(mean, sum(sums[name]) / len(sums[name]) / 1000, places=9)
        self.assertEqual(self.query("SELECT count(*) FROM spans WHERE run = 1"), [[len(samples["spans"]["call"])]])
        self.assertEqual(self.query("SELECT DISTINCT run FROM samples ORDER BY run"), [[1], [2]])
        rows = list(csv.reader(io.StringIO(self.succeeds("runs", "sql", "SELECT id, 'a \"b\", c' AS x, NULL FROM runs", "--csv"))))
        self.assertEqual(rows, [["id", "x", "NULL"], ["1", 'a "b", c', ""], ["2", 'a "b", c', ""]])
        self.assert_says(self.succeeds("runs", "sql", "SELECT own_ns FROM run_calls LIMIT 1"), "own_ns", "(32 bytes)")
        done = self.run_cli("runs", "sql", "SELECT * FROM samples", "--limit", "5", "--csv")
        self.assertEqual(len(done.stdout.splitlines()), 6)
        self.assert_says(done.stderr, "cut after 5 rows")

    def test_sql_only_reads(self):
        self.save("mlp.so")
        before = self.store.read_bytes()
        for sql in ("DELETE FROM runs", "ATTACH 'x.db' AS x", "PRAGMA user_version = 9", "CREATE TABLE t(x)", "BEGIN",
                    "CREATE TEMP TABLE t(x)", "VACUUM INTO 'x.db'", "UPDATE runs SET note = 'x' RETURNING id",
                    "PRAGMA writable_schema = 1", "DROP VIEW calls", "SELECT load_extension('x')", "REINDEX", "DETACH temp",
                    "INSERT INTO samples(run) VALUES(1)", "PRAGMA query_only = OFF", "EXPLAIN DELETE FROM runs"):
            self.fails(1, "runs", "sql", sql)
        for sql, word in (("SELEC 1", 'near "SELEC"'), ("SELECT x FROM runs", "no such column"), ("", ""), (" -- ", "no SQL"),
                          ("SELECT 1; DROP TABLE runs", "Only one"), ("SELECT zeroblob(900000000)", "larger than 256 MB")):
            self.assert_says(self.run_cli("runs", "sql", sql).stderr, "opscope: error: ", word)
        self.assertEqual(self.store.read_bytes(), before)
        self.assertEqual(self.query("SELECT count(*) FROM pragma_table_info('runs') WHERE name = 'median_us'"), [[1]])
        self.assertEqual(self.query("SELECT 1 -- one"), [[1]])

    def test_pythons_sqlite_reads_the_same(self):
        """The columns are what docs/store.md says, for readers that know nothing of this program."""
        self.save("transformer.so", "--scenario", VM / "transformer.scenario.json", "--inputs", VM / "transformer.npz")
        samples = json.loads(self.succeeds("runs", "export", "1", "--samples", "-"))
        database = sqlite3.connect(self.store)
        self.assertEqual(database.execute("PRAGMA integrity_check").fetchone(), ("ok",))
        self.assertEqual(database.execute("PRAGMA journal_mode").fetchone(), ("wal",))
        self.assertEqual(database.execute("PRAGMA user_version").fetchone(), (3,))
        self.assertEqual(database.execute("PRAGMA application_id").fetchone(), (int.from_bytes(b"OPSC", "big"),))
        calls = database.execute("SELECT name, own_ns, inclusive_ns, repeats FROM run_calls WHERE run = 1 ORDER BY call").fetchall()
        self.assertEqual(len(calls), len(samples["calls"]))
        for (name, own, inclusive, repeats), call in zip(calls, samples["calls"]):
            self.assertEqual(name, call["name"])
            self.assertEqual(list(array.array("d", own)), call["ownNs"])
            self.assertEqual(list(array.array("d", inclusive or own)), call["inclusiveNs"])
            numbers = list(array.array("I", repeats)) if repeats is not None else list(range(len(own) // 8))
            self.assertEqual(numbers, call.get("repeats", list(range(samples["repeats"]))))
        spans = samples["spans"]
        position = 0
        for repeat, starts, durations, numbers, counts in database.execute(
                "SELECT repeat, start_ns, duration_ns, calls, counts FROM run_spans WHERE run = 1 ORDER BY repeat"):
            end = position + len(starts) // 8
            counts = list(array.array("I", counts)) if counts is not None else [end - position]
            self.assertEqual(spans["repeat"][position:end],
                             [repeat + part for part, count in enumerate(counts) for _ in range(count)])
            self.assertEqual(list(array.array("d", starts)), spans["startNs"][position:end])
            self.assertEqual(list(array.array("d", durations)), spans["durationNs"][position:end])
            numbers = (list(array.array("I", numbers)) if numbers is not None
                       else [number for count in counts for number in range(count)])
            self.assertEqual(numbers, spans["call"][position:end])
            position = end
        self.assertEqual(position, len(spans["call"]))
        (head,) = database.execute("SELECT json FROM run_heads WHERE run = 1").fetchone()
        for key in ("calls", "spans", "ops"):
            del samples[key]
        self.assertEqual(json.loads(head), samples)
        names = [name for (name,) in database.execute("SELECT name FROM calls WHERE run = 1 ORDER BY call")]
        self.assertEqual(names, [samples["names"][call[0]] for call in calls])
        database.close()

    def test_no_store(self):
        self.assertEqual(self.listed(), [])
        self.assertEqual(self.run_cli("runs", "list").returncode, 0)
        for command in (("show", "1"), ("delete", "1"), ("note", "1", "x"), ("sql", "SELECT 1"), ("list", "--store", self.store)):
            self.assert_says(self.fails(1, "runs", *command), "There is no store of runs at")
        self.assert_folder_holds()
        self.assert_says(self.fails(2, "runs", "export", "1"), "No format is asked for")
        self.assert_says(self.fails(2, "runs", "export", "1", "--json", "-", "--csv", "-"), "cannot all go to standard output")
        self.assert_says(self.fails(2, "runs"), "opscope-cli runs --help")
        self.assert_says(self.fails(2, "runs", "list", "--nope"), "opscope-cli runs list --help")


if __name__ == "__main__":
    unittest.main()
