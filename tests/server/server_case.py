# SPDX-License-Identifier: Apache-2.0
"""A server for one class of tests, in folders of its own, and what the tests look at from outside."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from wire import Client

SERVER = os.environ["OPSCOPE_SERVER"]
LIBRARY = os.environ["OPSCOPE_TEST_LIBRARY"]
DATA = pathlib.Path(os.environ["OPSCOPE_TEST_DATA"])


def wait_for(condition, seconds=10.0):
    """True as soon as the condition holds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


def children_of(process):
    """Ids of the living children, those that ended but were not waited for among them."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[1]) == process:
                found.append(int(entry.name))
    return found


def is_alive(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class Server:
    """A running server; its work and cache folders are gone with it."""

    def __init__(self, *options, environment=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="opscope-test-"))
        self.work, self.cache = self.folder / "work", self.folder / "cache"
        self.log = open(self.folder / "log", "w+", encoding="utf-8")
        defaults = {"--port": "0", "--work-dir": str(self.work), "--cache-dir": str(self.cache)}
        words = [*os.environ.get("OPSCOPE_SERVER_RUNNER", "").split(), SERVER, *options]
        for name, value in defaults.items():
            words += [] if name in options else [name, value]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=self.log, text=True,
                                        env={**os.environ, "OPSCOPE_LOG": "info", **(environment or {})})
        line = self.process.stdout.readline()
        if "listening on " not in line:
            said = self.said()
            self.end()
            raise AssertionError(f"the server does not start: {line}{said}")
        self.port = int(line.rsplit(":", 1)[1])

    def said(self):
        self.log.flush()
        return (self.folder / "log").read_text(encoding="utf-8")

    def sessions(self):
        """Folders of sessions that live."""
        return list(self.work.glob("opscope-server-*/session-*"))

    def end(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        status = self.process.wait(30)
        self.process.stdout.close()
        if not self.log.closed:
            self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        return status


class ServerCase(unittest.TestCase):
    OPTIONS = ()

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.OPTIONS)

    @classmethod
    def tearDownClass(cls):
        status = cls.server.end()
        assert status == 0, f"the server ended with status {status}"

    def client(self, *arguments, **settings):
        client = Client(self.server.port, *arguments, **settings)
        self.addCleanup(client.socket.close)
        return client

    def assert_server_answers(self):
        """The server takes a new client, and no session of an old one is left after some time."""
        with self.client() as client:
            self.assertTrue(client.call("tvm.rpc.server.workpath", "x").endswith("/x"))
        self.assertTrue(wait_for(lambda: not self.server.sessions()), "a session's folder is left")
        self.assertIsNone(self.server.process.poll(), "the server has ended")
