# SPDX-License-Identifier: Apache-2.0
"""The command line itself: help, wrong usage, exit statuses."""

import unittest

from cli import VM, CliTest


class Usage(CliTest):
    def test_every_command_explains_itself_with_examples(self):
        self.assert_says(self.succeeds("--help"), "inspect", "run", "profile", "report", "Examples:", "Exit status")
        store = [f"runs {name}" for name in ("list", "show", "delete", "export", "note", "tag", "sql")]
        for command in ("inspect", "run", "profile", "report", "runs", *store):
            text = self.succeeds(*command.split(), "--help")
            self.assert_says(text, "Examples:", f"opscope-cli {command} ")
            self.assertLessEqual(max(map(len, text.splitlines())), 100)

    def test_help_names_the_options_of_the_contract(self):
        for word in ("--function", "--input", "--dim", "--inputs", "--scenario", "--warmup", "--repeat", "--json",
                     "--csv", "--table", "--samples", "--trace", "--html", "--target", "--device", "--threads", "--pin",
                     "--spin-us", "--allocator", "--plugin", "--quiet", "--verbose"):
            self.assertIn(word, self.succeeds("profile", "--help"))

    def test_version(self):
        self.assertRegex(self.succeeds("--version"), r"^opscope-cli \d+\.\d+\.\d+\n$")

    def test_wrong_usage_has_status_2(self):
        file = VM / "chain.so"
        for arguments in ((), ("unknown",), ("inspect",), ("profile",), ("profile", file, "--unknown"),
                          ("profile", file, "--repeat", "0"), ("profile", file, "--repeat", "many"),
                          ("profile", file, "--warmup", "-1"), ("profile", file, "--threads", "0"),
                          ("profile", file, "--pin", "maybe"), ("profile", file, "--device", "gpu"),
                          ("profile", file, "--device", "cpu:-1"), ("profile", file, "--device", ""),
                          ("profile", file, "--allocator", "big"),
                          ("profile", file, "--target", "moon"), ("run", file, "--spin-us", "-5"),
                          ("run", file, "--input", "novalue"), ("run", file, "--dim", "n"),
                          ("run", file, "--dim", "n=many"), ("run", file, "--input", "0=zeros", "--input", "0=ones"),
                          ("report", "x.json", "--format", "xml"), ("inspect", file, "more.so"),
                          ("report", "x.json", "--format", "csv", "--no-sort"),
                          ("run", file, "--scenario", "s.json", "--input", "0=zeros"),
                          ("run", file, "--scenario", "s.json", "-f", "main")):
            with self.subTest(arguments=arguments):
                self.assert_says(self.fails(2, *arguments), "hint: ")

    def test_empty_values_are_mistakes(self):
        file = VM / "chain.so"
        for arguments in (("inspect", ""), ("run", file, "--outputs", ""), ("profile", file, "--json", ""),
                          ("run", file, "--inputs", ""), ("run", file, "-f", ""), ("run", file, "--scenario", ""),
                          ("run", file, "--device", ""), ("run", file, "--plugin", ""), ("report", "")):
            with self.subTest(arguments=arguments):
                self.assert_says(self.fails(2, *arguments), "needs a value, found an empty one")

    def test_mistakes_are_told_in_words(self):
        file = VM / "chain.so"
        for words, arguments in (('There is no command "insepct"', ("insepct", file)),
                                 ("Did you mean inspect?", ("insepct", file)),
                                 ("--threads needs a value", ("run", file, "--threads")),
                                 ("--threads is given more than once", ("run", file, "--threads", 1, "--threads", 2)),
                                 ('--threads needs a whole number from 1 to 1024, found "x"',
                                  ("run", file, "--threads", "x")),
                                 ('--pin needs on or off, found "1"', ("run", file, "--pin", 1)),
                                 ('--format needs table, json, csv, samples, trace or html, found "xml"', ("report", "x", "--format", "xml")),
                                 ("--json takes no value", ("inspect", file, "--json=x")),
                                 ('--timeout needs seconds from 0 to 1e9, found "1e10"', ("run", file, "--timeout", "1e10")),
                                 ('--timeout needs seconds from 0 to 1e9, found "nan"', ("check", "rpc://a:1", "--timeout", "nan")),
                                 ('--device is wrong: "gpu" is no kind of device.', ("profile", file, "--device", "gpu")),
                                 ('--device is wrong: "cpu:-1" is no device.', ("profile", file, "--device", "cpu:-1")),
                                 ('TRACKER is wrong: "x" has no port. Expected HOST:PORT.', ("boards", "x")),
                                 ("--no-sort takes no value", ("report", "x", "--no-sort=1"))):
            with self.subTest(arguments=arguments):
                self.assert_says(self.fails(2, *arguments), words)

    def test_quiet_and_verbose_may_stand_before_the_command(self):
        self.assertEqual(self.succeeds("--quiet", "profile", VM / "chain.so", "--repeat", "1"), "")

    def test_help_shows_values_in_words(self):
        text = self.succeeds("profile", "--help") + self.succeeds("report", "--help")
        for word in ("TEXT", "UINT", ":INT", "{false}", "{on,off}"):
            self.assertNotIn(word, text)

    def test_two_outputs_to_standard_output_are_wrong_usage(self):
        text = self.fails(2, "profile", VM / "chain.so", "--json", "-", "--csv", "-")
        self.assert_says(text, "--csv and --json")
        self.fails(2, "profile", VM / "chain.so", "--json", "-", "--table", "-")

    def test_commands_for_boards_need_a_place(self):
        for command in ("boards", "check"):
            self.fails(2, command)
            self.fails(2, command, "nowhere")
        for place in ("local", "isolated"):
            self.assertEqual(self.run_cli("check", place).returncode, 2)
        self.fails(2, "profile", VM / "chain.so", "--all")


if __name__ == "__main__":
    unittest.main()
