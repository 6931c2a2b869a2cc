# SPDX-License-Identifier: Apache-2.0
"""What the tests of the command line tool share: running it, fixtures, a scratch folder."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["OPSCOPE_CLI"]
DATA = pathlib.Path(os.environ["OPSCOPE_TEST_DATA"])
PLUGINS = pathlib.Path(os.environ["OPSCOPE_TEST_PLUGINS"])
VM = DATA / "vm" / "tvm027"


def start(*arguments, **options):
    """The running program, with standard output and error to be read as text."""
    return subprocess.Popen([PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            **options)


class CliTest(unittest.TestCase):
    """A test with a scratch folder of its own."""

    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="opscope-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def run_cli(self, *arguments, **options):
        return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False,
                              **options)

    def succeeds(self, *arguments):
        done = self.run_cli(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def fails(self, status, *arguments):
        """The words on standard error; nothing may stand on standard output."""
        done = self.run_cli(*arguments)
        self.assertEqual(done.returncode, status, done.stderr + done.stdout)
        self.assertTrue(done.stderr.startswith("opscope: error: "), done.stderr)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def assert_says(self, text, *words):
        for word in words:
            self.assertIn(word, text)

    def assert_folder_holds(self, *names):
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), sorted(names))
