# SPDX-License-Identifier: Apache-2.0
"""Standard streams that are closed, pipes and devices as files, limits of the system, outputs that collide."""

import json
import os
import resource
import shutil
import signal
import subprocess
import unittest

from cli import DATA, PROGRAM, VM, CliTest, start

CHAIN = VM / "chain.so"
REPORT = DATA / "reports" / "report-16" / "report.json"


def shell(command):
    """Runs a line of shell in which $CLI, $CHAIN and $REPORT stand for what they say."""
    names = {"CLI": PROGRAM, "CHAIN": str(CHAIN), "REPORT": str(REPORT)}
    return subprocess.run(["bash", "-c", command], env={**os.environ, **names}, capture_output=True, text=True,
                          timeout=120, check=False)


class ClosedStreams(CliTest):
    def test_closed_standard_output_is_an_error_in_words(self):
        for command in ("inspect $CHAIN", "profile $CHAIN --repeat 1", "report $REPORT"):
            done = shell(f"$CLI {command} >&-")
            self.assertEqual(done.returncode, 1, done)
            self.assert_says(done.stderr, "Cannot write to standard output: it is closed")

    def test_closed_standard_error_does_not_end_the_program(self):
        self.assertEqual(shell("$CLI inspect missing.so 2>&-").returncode, 1)
        self.assertEqual(shell("$CLI profile $CHAIN --repeat 1 2>&-").returncode, 0)
        self.assertEqual(shell("$CLI inspect missing.so 2>/dev/full").returncode, 1)
        self.assertEqual(shell("$CLI nothing 2>/dev/full").returncode, 2)

    def test_no_file_takes_the_place_of_a_closed_stream(self):
        out = self.folder / "r.json"
        done = shell(f"$CLI profile $CHAIN --repeat 1 --json {out} --quiet <&- >&- 2>&-")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len(json.loads(out.read_text())["calls"]), 302)


class PipesAndDevices(CliTest):
    def test_a_report_from_a_pipe(self):
        done = shell("$CLI report <(sleep 0.3; cat $REPORT)")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, self.succeeds("report", REPORT))

    def test_pipes_without_a_writer_and_devices_are_errors(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        self.assert_says(self.fails(1, "inspect", pipe), "a pipe that nobody writes to")
        self.assert_says(self.fails(1, "report", pipe), "a pipe that nobody writes to")
        self.assert_says(self.fails(1, "inspect", "/dev/zero"), "it is a device")

    def test_a_file_larger_than_can_be_read_is_refused_at_once(self):
        sparse = self.folder / "sparse.so"
        with open(sparse, "wb") as file:
            file.truncate(1 << 40)
        self.assert_says(self.fails(1, "inspect", sparse), "holds more than")

    def test_ctrl_c_ends_a_report_that_waits_for_its_pipe(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        holder = os.open(pipe, os.O_RDWR)
        self.addCleanup(os.close, holder)
        program = start("report", pipe)
        with self.assertRaises(subprocess.TimeoutExpired):
            program.wait(timeout=1)
        program.send_signal(signal.SIGINT)
        self.assertEqual(program.wait(timeout=60), 130)
        program.communicate()

    def test_ctrl_c_ends_what_waits_for_a_silent_pipe(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        holder = os.open(pipe, os.O_RDWR)
        self.addCleanup(os.close, holder)
        out = self.folder / "r.json"
        for command in (("inspect", pipe), ("run", pipe), ("profile", pipe, "--json", out),
                        ("run", CHAIN, "--scenario", pipe), ("run", CHAIN, "--input", f"0=@{pipe}.npy")):
            if command[-1] == f"0=@{pipe}.npy":
                (self.folder / "pipe.npy").symlink_to(pipe)
            program = start(*command)
            with self.assertRaises(subprocess.TimeoutExpired):
                program.wait(timeout=1)
            program.send_signal(signal.SIGINT)
            _, errors = program.communicate(timeout=30)
            self.assertEqual(program.returncode, 130, command)
            self.assert_says(errors, "interrupted before anything was measured")
        self.assertFalse(out.exists())

    def test_arrays_on_standard_output_need_no_folder_for_temporary_files(self):
        done = subprocess.run([PROGRAM, "run", str(CHAIN), "--outputs", "-"], capture_output=True, timeout=120, check=False,
                              env={**os.environ, "TMPDIR": str(self.folder / "missing")})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith(b"PK"))


class Limits(CliTest):
    @unittest.skipIf(os.environ.get("OPSCOPE_SANITIZE"), "a sanitizer reserves more addresses than the limit lets it")
    def test_too_little_memory_for_threads_is_told(self):
        done = self.run_cli("profile", CHAIN, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_AS, (20 << 20, 20 << 20)))
        self.assertIn(done.returncode, (1, 127), done.stderr)  # 127: the loader had no room for the program itself
        if done.returncode == 1:
            self.assertTrue(done.stderr.startswith("opscope: error: "), done.stderr)

    def test_a_file_over_the_size_limit_is_an_error_and_leaves_nothing(self):
        report = self.folder / "trace.json"
        done = self.run_cli("profile", CHAIN, "--repeat", "3", "--trace", report, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (80_000, 80_000)))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assert_says(done.stderr, "File too large")
        self.assert_folder_holds()


class Collisions(CliTest):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "chain.so"
        shutil.copy(CHAIN, self.file)

    def test_two_options_may_not_name_one_file(self):
        out = self.folder / "out"
        self.assert_says(self.fails(2, "profile", self.file, "--json", out, "--csv", self.folder / "." / "out"),
                         "--csv and --json name the same file")
        self.succeeds("profile", self.file, "--repeat", "1", "--json", "/dev/null", "--csv", "/dev/null", "--quiet")

    def test_what_is_read_is_not_overwritten(self):
        before = self.file.read_bytes()
        link = self.folder / "link"
        link.symlink_to(self.file)
        for out in (self.file, link):
            self.assert_says(self.fails(2, "profile", self.file, "--json", out), "would overwrite", "the executable")
        self.assertEqual(self.file.read_bytes(), before)
        inputs = self.folder / "chain.npz"
        shutil.copy(VM / "chain.npz", inputs)
        self.assert_says(self.fails(2, "run", self.file, "--inputs", inputs, "--outputs", inputs), "--inputs")


if __name__ == "__main__":
    unittest.main()
