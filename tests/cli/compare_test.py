# SPDX-License-Identifier: Apache-2.0
"""compare: verdicts in words, JSON, JUnit and Markdown; what is compared; exit statuses."""

import json
import unittest
import xml.etree.ElementTree

from cli import DATA, VM, CliTest

RECORDED = DATA / "statistics" / "interleaved.samples.json"


class Compare(CliTest):
    def slowed(self, name, factor, repeats=None):
        """The recorded samples with one op slowed down, as a file."""
        samples = json.loads(RECORDED.read_text())
        for call in samples["calls"]:
            if samples["names"][call["name"]] == name:
                for repeat, own in enumerate(call["ownNs"]):
                    samples["totals"][0]["totalNs"][repeat] += own * (factor - 1)
                call["ownNs"] = [own * factor for own in call["ownNs"]]
                call["inclusiveNs"] = [own * factor for own in call["inclusiveNs"]]
        path = self.folder / f"{name}-{factor}.json"
        path.write_text(json.dumps(samples))
        return path

    def compared(self, *arguments):
        return json.loads(self.succeeds("compare", *arguments, "--json"))

    def test_words(self):
        text = self.succeeds("compare", RECORDED, self.slowed("conv2d1", 1.1))
        self.assert_says(text, "A  ", "B  ", "60 repeats", "95 % interval", "+10.0 %", "slower", "Total", "1 slower",
                         "By name, medians over the repeats", "too short to measure")
        first = text.split("\n\n")[1].splitlines()[1]
        self.assertTrue(first.startswith("conv2d1 "), first)

    def test_json_finds_the_op_and_nothing_else(self):
        found = self.compared(RECORDED, self.slowed("matmul", 1.05))
        self.assertEqual(found["schema"], "opscope.compare/1")
        verdicts = {op["name"]: op["verdict"] for op in found["ops"]}
        self.assertTrue(all(op["reason"] for op in found["ops"]), found["ops"])
        self.assertEqual([name for name, verdict in verdicts.items() if verdict in ("slower", "faster")], ["matmul"])
        matmul = found["ops"][0]
        self.assertAlmostEqual(matmul["ratio"], 1.05, places=9)
        self.assertLess(matmul["p_holm"], 0.05)
        self.assertEqual(found["counts"]["slower"], 1)

    def test_by_position_has_each_call(self):
        found = self.compared(RECORDED, RECORDED, "--by", "position")
        names = [op["name"] for op in found["ops"]]
        self.assertEqual(names[:3], ["vm.builtin.check_tensor_info", "vm.builtin.match_shape", "conv2d"])
        self.assertEqual(names.count("vm.builtin.reshape"), 3)
        self.assertEqual(found["by"], "position")
        self.assertEqual(found["counts"]["slower"] + found["counts"]["faster"], 0)

    def test_fail_above(self):
        slow = self.slowed("conv2d1", 1.2)
        self.succeeds("compare", RECORDED, slow)
        self.succeeds("compare", RECORDED, slow, "--fail-above", "50")
        self.succeeds("compare", slow, RECORDED, "--fail-above", "5")
        done = self.run_cli("compare", RECORDED, slow, "--fail-above", "5", "--json")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("opscope: error: Slower by more than 5 %: Total (+12.", done.stderr)
        self.assertIn("conv2d1 (+20.0 %)", done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual([op["name"] for op in found["ops"] if op["fails"]], ["conv2d1"])
        self.assertTrue(found["total"]["fails"])

    def test_junit_and_markdown(self):
        slow = self.slowed("conv2d1", 1.2)
        junit, markdown = self.folder / "c.xml", self.folder / "c.md"
        done = self.run_cli("compare", RECORDED, slow, "--fail-above", "5", "--junit", junit, "--markdown", markdown)
        self.assertEqual(done.returncode, 3)
        suite = xml.etree.ElementTree.parse(junit).getroot()[0]
        failing = [case.get("name") for case in suite if case.find("failure") is not None]
        self.assertEqual(int(suite.get("failures")), 2)
        self.assertEqual(failing[0], "Total cpu0")
        self.assertTrue(failing[1].startswith("conv2d1 ("), failing)
        self.assert_says(markdown.read_text(), "### Opscope: total slower", "| conv2d1 |", "**slower**", "<details>")
        self.assertNotIn(str(self.folder), markdown.read_text())
        printed = self.succeeds("compare", RECORDED, slow, "--markdown", "-")
        self.assertTrue(printed.startswith("### Opscope"), printed)

    def test_markdown_names_no_folders(self):
        for name in ("mlp", "cnn"):
            self.succeeds("profile", VM / f"{name}.so", "--repeat", "5", "--quiet", "--samples", self.folder / f"{name}.json")
        text = self.succeeds("compare", self.folder / "mlp.json", self.folder / "cnn.json", "--markdown", "-")
        self.assert_says(text, "Executable: mlp.so in A, cnn.so in B.")
        self.assertNotIn("/", text.replace("</", ""))

    def test_a_run_and_itself(self):
        done = self.run_cli("compare", RECORDED, RECORDED)
        self.assertEqual(done.returncode, 0)
        self.assertIn("A and B are the same run.", done.stderr)
        self.assertNotIn("the same run", self.run_cli("compare", RECORDED, self.slowed("conv2d1", 1.1)).stderr)

    def test_a_hint_is_told_once(self):
        path = self.folder / "few.json"
        self.succeeds("profile", VM / "cnn.so", "--repeat", "30", "--quiet", "--samples", path)
        samples = json.loads(path.read_text())
        for call in samples["calls"]:
            call["ownNs"] = [1e5 * (1 + repeat % 2) for repeat in range(30)]
        path.write_text(json.dumps(samples))
        errors = self.run_cli("compare", RECORDED, path).stderr
        hints = [line for line in errors.splitlines() if line.startswith("  hint:")]
        self.assertEqual(len(hints), len(set(hints)), errors)

    def test_reports_compare_by_value(self):
        paths = []
        for name, source in (("a.json", RECORDED), ("b.json", self.slowed("matmul", 1.5))):
            paths.append(self.folder / name)
            paths[-1].write_text(self.succeeds("report", source, "--format", "json"))
        done = self.run_cli("compare", *paths)
        self.assertEqual(done.returncode, 0)
        self.assert_says(done.stdout, "no samples", "values, without samples", "+50.0 %")
        self.assert_says(done.stderr, "Without samples on both sides only values are compared", "hint: ")
        self.assertEqual(self.run_cli("compare", *paths, "--fail-above", "30").returncode, 3)
        self.assertEqual({op["verdict"] for op in self.compared(paths[0], RECORDED)["ops"]}, {"no samples"})

    def test_saved_runs(self):
        store = self.folder / "runs.sqlite"
        for threads in ("1", "2"):
            self.succeeds("profile", VM / "mlp.so", "--repeat", "6", "--quiet", "--save", "--store", store, "--threads",
                          threads)
        text = self.succeeds("compare", "run:last-1", "run:last", "--store", store)
        self.assert_says(text, "A  run:last-1", "6 repeats", "Number of threads: 1 in A, 2 in B.")
        words = self.fails(1, "compare", "run:7", "run:last", "--store", store)
        self.assertIn("7", words)
        self.assert_says(self.fails(1, "compare", "1", "2", "--store", store), "Cannot read 1", "write run:1")

    def test_other_executables_are_told(self):
        for name in ("mlp", "cnn"):
            self.succeeds("profile", VM / f"{name}.so", "--repeat", "5", "--quiet", "--samples",
                          self.folder / f"{name}.json")
        text = self.succeeds("compare", self.folder / "mlp.json", self.folder / "cnn.json")
        self.assert_says(text, "Executable: ", "Inputs: ", " new", " gone")

    def test_few_repeats_are_too_noisy(self):
        path = self.folder / "few.json"
        self.succeeds("profile", VM / "mlp.so", "--repeat", "4", "--quiet", "--samples", path)
        done = self.run_cli("compare", path, path, "--fail-above", "0")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_says(done.stdout, "too noisy", "more repeat")
        self.assertIn("4 repeats say nothing", done.stderr)

    def test_wrong_usage(self):
        self.assertIn("junit", self.fails(2, "compare", RECORDED, RECORDED, "--json", "--junit", "-"))
        self.assertIn("would overwrite", self.fails(2, "compare", RECORDED, RECORDED, "--junit", RECORDED))
        self.assertIn("--fail-above", self.fails(2, "compare", RECORDED, RECORDED, "--fail-above", "-3"))
        self.assertIn("needs name or position", self.fails(2, "compare", RECORDED, RECORDED, "--by", "colour"))
        self.fails(1, "compare", RECORDED, self.folder / "none.json")


if __name__ == "__main__":
    unittest.main()
