# SPDX-License-Identifier: Apache-2.0
"""profile --memory and --lanes: sections below the table, samples, trace."""

import json
import re
import unittest

from cli import VM, CliTest


class Recording(CliTest):
    def test_memory_tells_the_peak_and_its_holders(self):
        text = self.succeeds("profile", VM / "cnn.so", "--repeat", "2", "--threads", "1", "--memory")
        self.assertEqual(text.splitlines()[0].split()[:3], ["Name", "Duration", "(us)"])
        self.assert_says(text, "\nPeak memory  ", " at instruction 31, for matmul", "Storages     5 taken (",
                         "Tensors      10 made (", "Held for", "conv2d")
        self.assertNotIn("Constants    0", text)

    def test_naive_memory_is_never_reused(self):
        text = self.succeeds("profile", VM / "cnn.so", "--repeat", "2", "--memory", "--allocator", "naive")
        self.assertIn("), 0 of them from kept blocks", text)
        text = self.succeeds("profile", VM / "cnn.so", "--repeat", "2", "--memory", "--allocator", "pooled")
        self.assertIn("), 5 of them from kept blocks", text)

    def test_the_table_stays_as_it_is(self):
        plain = self.succeeds("profile", VM / "mlp.so", "--repeat", "2")
        self.assert_says(plain, "Configuration")
        self.assertNotRegex(plain, "Peak memory|Parallel parts")
        whole = self.folder / "table.txt"
        self.succeeds("profile", VM / "mlp.so", "--repeat", "2", "--memory", "--lanes", "--table", whole)
        self.assertNotRegex(whole.read_text(), "Peak memory|Parallel parts")
        sections = self.succeeds("profile", VM / "mlp.so", "--repeat", "2", "--memory", "--lanes", "--table", whole)
        self.assertTrue(sections.startswith("Peak memory"), sections)
        json.loads(self.succeeds("profile", VM / "mlp.so", "--memory", "--lanes", "--json", "-"))

    def test_lanes_of_a_parallel_kernel(self):
        text = self.succeeds("profile", VM / "parallel.so", "--repeat", "3", "--threads", "2", "--lanes")
        section = text[text.index("Parallel parts of"):]
        row = next(line for line in section.splitlines() if line.startswith("padd"))
        self.assertRegex(row, r" \d\.\d of 2\.0 ")
        for percent in re.findall(r"([\d.]+) %", section):
            self.assertLessEqual(float(percent), 100)
        self.assertNotRegex(section, r"nan|inf\b|-\d")

    def test_lanes_without_parallel_parts_and_with_one_thread(self):
        text = self.succeeds("profile", VM / "chain.so", "--repeat", "1", "--lanes", "--threads", "2")
        self.assertIn("Parallel parts  none was run", text)
        text = self.succeeds("profile", VM / "parallel.so", "--repeat", "2", "--threads", "1", "--lanes")
        self.assert_says(text, "1.0 of 1.0", "The pool has one thread")

    def test_samples_and_trace_hold_both(self):
        samples, trace = self.folder / "s.json", self.folder / "t.json"
        self.succeeds("profile", VM / "parallel.so", "--repeat", "2", "--threads", "2", "--memory", "--lanes", "--samples",
                      samples, "--trace", trace, "--quiet")
        found = json.loads(samples.read_text())
        self.assertEqual(found["schema"], "opscope.samples/1")
        self.assertEqual(found["memory"]["taken"], 1)
        self.assertEqual(found["memory"]["storage"]["peakBytes"], 64 * 1024 * 4)
        self.assertEqual(found["lanes"]["threads"], 2)
        self.assertEqual(sum(found["lanes"]["launches"]["taskCount"]), len(found["lanes"]["tasks"]["lane"]))
        self.assertTrue(any(fact["name"] == "Recording of lanes" for fact in found["environment"]))
        events = json.loads(trace.read_text())["traceEvents"]
        self.assertTrue(any(event["ph"] == "C" and event["name"] == "storage" for event in events))
        self.assertTrue(any(event.get("cat") == "task" for event in events))
        self.assertEqual(self.succeeds("report", samples).splitlines()[0].split()[:3], ["Name", "Duration", "(us)"])


if __name__ == "__main__":
    unittest.main()
