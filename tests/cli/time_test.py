# SPDX-License-Identifier: Apache-2.0
"""time: numbers against Python's own statistics, words, options, interrupts."""

import json
import signal
import statistics
import time
import unittest

from cli import PLUGINS, VM, CliTest, start


class Time(CliTest):
    def measured(self, *arguments):
        return json.loads(self.succeeds("time", *arguments, "--json"))

    def test_words(self):
        text = self.succeeds("time", VM / "chain.so", "--number", "3", "--repeat", "9")
        self.assert_says(text, "main", "float32 [16]", "mean", "median", "with 95 % certainty from", "min", "max",
                         "std dev.", "9 repeats of 3 calls", "drift")
        for number in ("nan", "inf", " 0 ns", " 0.0", "-"):
            self.assertNotIn(number, text.replace("std dev.", ""))

    def test_few_repeats_tell_what_they_can(self):
        text = self.succeeds("time", VM / "chain.so", "--repeat", "1")
        self.assertNotIn("std dev.", text)
        self.assertNotIn("certainty", text)
        self.assertIn("not known with fewer than 8 repeats", text)
        found = self.measured(VM / "chain.so", "--repeat", "1")
        for key in ("std_us", "median_low_us", "median_high_us", "drift"):
            self.assertIsNone(found[key], key)

    def test_numbers_are_those_of_pythons_statistics(self):
        found = self.measured(VM / "chain.so", "--number", "4", "--repeat", "11")
        self.assertEqual(found["schema"], "opscope.time/1")
        self.assertEqual((found["function"], found["device"], found["target"]), ("main", "cpu0", "local"))
        times = [repeat["us"] for repeat in found["results"]]
        self.assertEqual(len(times), 11)
        self.assertEqual((found["repeats"], found["repeats_wanted"], found["too_short"]), (11, 11, 0))
        self.assertEqual({repeat["calls"] for repeat in found["results"]}, {4})
        for key, value in (("mean_us", statistics.fmean(times)), ("median_us", statistics.median(times)),
                           ("min_us", min(times)), ("max_us", max(times)), ("std_us", statistics.pstdev(times))):
            self.assertAlmostEqual(found[key], value, delta=1e-9 * value, msg=key)
        ordered = sorted(times)  # of 11 the second and the tenth hold the median with 98.8 %
        self.assertAlmostEqual(found["median_low_us"], ordered[1], delta=1e-9 * ordered[1])
        self.assertAlmostEqual(found["median_high_us"], ordered[9], delta=1e-9 * ordered[9])

    def test_options_are_taken(self):
        found = self.measured(VM / "chain.so", "--number", "2", "--repeat", "3", "--min-repeat-ms", "5",
                              "--limit-zero-time-iterations", "7", "--cooldown-interval-ms", "1",
                              "--repeats-to-cooldown", "2", "--cache-flush-bytes", "100000", "--threads", "1")
        self.assertEqual(found["options"], {"number": 2, "repeat": 3, "min_repeat_ms": 5,
                                            "limit_zero_time_iterations": 7, "cooldown_interval_ms": 1,
                                            "repeats_to_cooldown": 2, "cache_flush_bytes": 100000})
        self.assertEqual(found["threads"], 1)
        for repeat in found["results"]:
            self.assertGreaterEqual(repeat["us"] * repeat["calls"], 5000 * (1 - 1e-9))

    def test_pauses_take_their_time(self):
        begin = time.monotonic()
        self.measured(VM / "chain.so", "--number", "1", "--repeat", "4", "--cooldown-interval-ms", "100")
        self.assertGreaterEqual(time.monotonic() - begin, 0.3)

    def test_scenarios_inputs_and_free_dimensions(self):
        found = self.measured(VM / "tuples.so", "--scenario", VM / "tuples.scenario.json", "--inputs",
                              VM / "tuples.npz", "--repeat", "2")
        self.assertEqual(found["function"], "tuples.scenario.json")
        found = self.measured(VM / "mlp_dyn.so", "--dim", "n=3", "--repeat", "2")
        self.assertIn("[3, 784]", found["inputs"])

    def test_quiet(self):
        self.assertEqual(self.succeeds("time", VM / "chain.so", "--quiet"), "")

    def test_interrupt_keeps_complete_repeats(self):
        running = start("time", VM / "chain.so", "--repeat", "1000000", "--cooldown-interval-ms", "20", "--json")
        time.sleep(1.5)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
        self.assertEqual(running.returncode, 130, err)
        found = json.loads(out)
        self.assertGreaterEqual(found["repeats"], 1)
        self.assertLess(found["repeats"], 1000000)
        self.assertIn(f"{found['repeats']} of 1000000", err)

    def failing_late(self):
        """Arguments of a scenario that fails at its eighth call: after one to warm up and three repeats of two."""
        scenario = self.folder / "late.json"
        scenario.write_text(json.dumps({"steps": [{"global": "test.fails_at_eight", "args": []}]}))
        return (VM / "chain.so", "--scenario", scenario, "--plugin", PLUGINS / "fails_at_eight.so", "--number", "2",
                "--repeat", "10")

    def test_a_failure_keeps_complete_repeats(self):
        done = self.run_cli("time", *self.failing_late())
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assert_says(done.stdout, "late.json", "mean", "3 of 10 repeats of 2 calls")
        self.assertTrue(done.stderr.startswith("opscope: error: "), done.stderr)
        self.assert_says(done.stderr, "the eighth call fails", "3 of 10 repeats were measured before that")

    def test_a_failure_is_told_beside_the_repeats_in_json(self):
        done = self.run_cli("time", *self.failing_late(), "--json")
        self.assertEqual(done.returncode, 1, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual((found["repeats"], found["repeats_wanted"]), (3, 10))
        self.assertEqual(len(found["results"]), 3)
        self.assertIn("the eighth call fails", json.dumps(found["error"]))
        self.assertIsNone(self.measured(VM / "chain.so", "--repeat", "2")["error"])

    def test_wrong_values_are_wrong_usage(self):
        for option, value in (("--number", "0"), ("--repeat", "0"), ("--min-repeat-ms", "-1"),
                              ("--repeats-to-cooldown", "0"), ("--cooldown-interval-ms", "x"),
                              ("--cache-flush-bytes", "-5"), ("--limit-zero-time-iterations", "-1")):
            self.assert_says(self.fails(2, "time", VM / "chain.so", option, value), option, value)

    def test_failures_have_status_1(self):
        self.fails(1, "time", self.folder / "none.so")
        self.assert_says(self.fails(1, "time", VM / "chain.so", "-f", "nosuch"), "nosuch")
        self.assert_says(self.fails(1, "time", VM / "dpspacked.so"), "proto.dps_add")


if __name__ == "__main__":
    unittest.main()
