# SPDX-License-Identifier: Apache-2.0
"""The server as a whole: its command line, its end, its queue, its secret, its cache, its status."""

import hashlib
import hmac
import json
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time
import unittest

import wire
from server_case import DATA, LIBRARY, SERVER, Server, ServerCase, children_of, is_alive, wait_for
from wire import Client, Pointer, Refused, RemoteError


def ticks_of(process):
    """Processor time that it has used."""
    try:
        fields = pathlib.Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    except OSError:
        return 0
    return int(fields[11]) + int(fields[12])


class CommandLine(unittest.TestCase):
    def ends(self, status, *options):
        done = subprocess.run([SERVER, *options], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout + done.stderr

    def test_help_and_version(self):
        for word in ("--host", "--port-end", "--tracker", "--secret-file", "--client-abi", "--cache-dir", "Examples:"):
            self.assertIn(word, self.ends(0, "--help"))
        self.assertRegex(self.ends(0, "--version"), r"opscope-server \d+\.\d+\.\d+")

    def test_wrong_usage_has_status_2(self):
        for options in (["--port", "x"], ["--port", "70000"], ["--port", "9000", "--port-end", "9000"], ["file"],
                        ["--key", "a b"], ["--tracker", "host"], ["--tracker", "host:0", "--key", "k"],
                        ["--tracker", "host:9190"], ["--client-abi", "0.5"], ["--max-sessions", "0"], ["--unknown"],
                        ["--handshake-timeout", "nan"], ["--handshake-timeout", "0"], ["--cache-mib", "nan"],
                        ["--tracker", "::1:9190", "--key", "k"]):
            self.assertIn("opscope: error: ", self.ends(2, *options))

    def test_what_cannot_be_had_has_status_1(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            self.assertIn("cannot listen", self.ends(1, "--port", str(taken.getsockname()[1])))
        self.assertIn("no name or address", self.ends(1, "--host", "no.such.host.invalid"))
        said = self.ends(1, "--port", "0", "--wrapper", "no-such-program x")
        self.assertIn("no-such-program", said)
        self.assertIn("hint: look at --wrapper", said)
        self.assertIn("No folder", self.ends(1, "--port", "0", "--work-dir", "/proc/none"))
        self.assertIn("/no/such/file", self.ends(1, "--secret-file", "/no/such/file"))
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"short")
            file.flush()
            self.assertIn("too short", self.ends(1, "--secret-file", file.name))
            os.chmod(file.name, 0o644)
            self.assertIn("chmod 600", self.ends(1, "--secret-file", file.name))

    def test_a_program_that_starts_a_server_for_itself_takes_it_along(self):
        folder = tempfile.mkdtemp()
        with subprocess.Popen([SERVER, "--port", "0", "--work-dir", folder, "--end-with-input"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as served:
            self.assertIn(b"listening on", served.stdout.readline())
            self.assertTrue(os.listdir(folder))
            served.stdin.close()
            self.assertEqual(served.wait(timeout=60), 0)
        self.assertFalse(os.path.exists(folder))

    def test_a_killed_program_leaves_no_isolated_process(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        model = DATA / "vm" / "tvm027" / "mlp.so"
        with subprocess.Popen([os.environ["OPSCOPE_CLI"], "profile", model, "--target", "isolated", "--repeat", "1000000", "--quiet"],
                              env={**os.environ, "TMPDIR": folder}) as program:
            self.assertTrue(wait_for(lambda: children_of(program.pid)))
            servers = children_of(program.pid)
            self.assertTrue(os.listdir(folder))
            time.sleep(1)
            program.kill()
        self.assertTrue(wait_for(lambda: not any(map(is_alive, servers))))
        self.assertTrue(wait_for(lambda: not os.listdir(folder)), os.listdir(folder))

    def isolated_error(self, how, *options):
        """What the tool says when the process that runs the model gets a signal."""
        model = DATA / "vm" / "tvm027" / "mlp.so"
        words = [os.environ["OPSCOPE_CLI"], "profile", model, "--target", "isolated", "--repeat", "1000000", *options]
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as program:
            sessions = lambda: [session for server in children_of(program.pid) for session in children_of(server)]
            self.assertTrue(wait_for(lambda: any(ticks_of(session) > 50 for session in sessions())))
            os.kill(max(sessions(), key=ticks_of), how)
            errors = program.communicate(timeout=60)[1]
        self.assertEqual(program.returncode, 1, errors)
        self.assertNotIn("board", errors)
        self.assertEqual(errors.count("opscope: error: "), 1, errors)
        for line in errors.splitlines():
            self.assertRegex(line, "^(opscope: |  )")
        return errors

    def test_an_isolated_process_that_crashes_is_told(self):
        self.assertIn("The process that ran the model ended with signal 11 (SIGSEGV)", self.isolated_error(signal.SIGSEGV))

    def test_an_isolated_process_that_hangs_is_told(self):
        self.assertIn("The process that runs the model did not answer in time",
                      self.isolated_error(signal.SIGSTOP, "--timeout", "2"))

    def test_the_command_line_tool_serves_too(self):
        with subprocess.Popen([os.environ["OPSCOPE_CLI"], "serve", "--port", "0"], stdout=subprocess.PIPE, text=True) as served:
            port = int(served.stdout.readline().rsplit(":", 1)[1])
            with Client(port) as client:
                self.assertIsNotNone(client.function("opscope.server_info"))
            served.send_signal(signal.SIGINT)
            self.assertEqual(served.wait(20), 0)
        done = subprocess.run([os.environ["OPSCOPE_CLI"], "serve", "--port", "x"], capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 2)

    def test_closed_standard_descriptors_are_no_sockets(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        words = [SERVER, "--port", "0", "--work-dir", f"{folder.name}/work", "--cache-dir", f"{folder.name}/cache"]
        line = subprocess.run(["sh", "-c", 'exec 3>&1; "$@" <&- 2>&- >&- & sleep 1; ls -l /proc/$!/fd >&3; kill $!; wait $!', "sh",
                               *words], capture_output=True, text=True, timeout=60).stdout
        for descriptor in (0, 1, 2):
            self.assertRegex(line, rf" {descriptor} -> /dev/null")

    def test_plugins_are_loaded_by_each_session(self):
        self.ends(2, "--plugin", "/no/such/library.so")
        with tempfile.NamedTemporaryFile(suffix=".so") as bad:
            bad.write(b"no library")
            bad.flush()
            self.assertIn(bad.name, self.ends(1, "--port", "0", "--plugin", bad.name))
        server = Server("--plugin", os.environ["OPSCOPE_TEST_PLUGIN"])
        self.addCleanup(server.end)
        for _ in range(3):
            with Client(server.port) as client:
                self.assertIsNotNone(client.function("server_test.plugin"))

    def test_folders_above_its_own_go_too(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(f"{folder}/a")
            server = Server("--work-dir", f"{folder}/a/b/c")
            self.assertTrue(os.listdir(f"{folder}/a/b/c"))
            self.assertEqual(server.end(), 0)
            self.assertEqual(os.listdir(f"{folder}/a"), [])

    def test_a_cache_that_is_a_file_is_an_error(self):
        with tempfile.NamedTemporaryFile() as file:
            self.assertIn("is no folder", self.ends(1, "--port", "0", "--cache-dir", file.name))

    def test_the_first_free_port_is_taken(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            server = Server("--port", str(port), "--port-end", str(min(port + 50, 65536)))
            self.assertGreater(server.port, port)
            self.assertEqual(server.end(), 0)


class Ends(unittest.TestCase):
    def setUp(self):
        self.server = Server()

    def tearDown(self):
        self.server.end()

    def busy(self):
        """A client whose session is inside of a kernel for ever, and the session's process."""
        client = Client(self.server.port)
        self.addCleanup(client.socket.close)
        module = client.load(LIBRARY)
        sleep = client.member(module, "sleep")
        client.send(wire.CALL, struct.pack("<Q", sleep.handle) + wire.sequence([600]))
        return client, children_of(self.server.process.pid)

    def test_a_signal_ends_all_in_bounded_time(self):
        for how in (signal.SIGTERM, signal.SIGINT):
            self.server.end()
            self.server = Server()
            _, processes = self.busy()
            begin, work = time.monotonic(), self.server.work
            self.server.process.send_signal(how)
            self.assertTrue(wait_for(lambda: self.server.process.poll() is not None, 8), "the server does not end")
            self.assertLess(time.monotonic() - begin, 8)
            self.assertFalse(work.exists(), "the server made it and left it")
            self.assertFalse(any(map(is_alive, processes)))
            self.assertEqual(self.server.end(), 0)

    def fill(self, folder, files):
        """Many files, some folders deep. Empty ones: a disk that discards blocks takes milliseconds for each other."""
        for number in range(files):
            if number % 1000 == 0:
                part = folder / f"part{number // 1000}" / "more"
                part.mkdir(parents=True)
            (part / str(number)).touch()

    def test_others_work_while_a_huge_folder_is_removed(self):
        seen_at_work = False
        for files in (20_000, 40_000, 80_000):  # a fast disk may have removed the first before anybody looks
            with Client(self.server.port) as client:
                client.call("tvm.rpc.server.upload", "first", b"x")
                folder, = self.server.sessions()
                self.fill(folder, files)
            with Client(self.server.port) as other:
                module = other.load(LIBRARY)
                self.assertEqual(other.invoke(other.member(module, "echo"), "hello"), "hello")
                seen_at_work = folder.exists()
                own, = [each for each in self.server.sessions() if each != folder]
                self.assertEqual(other.call("tvm.rpc.server.download", "library.so"), (own / "library.so").read_bytes())
                self.assertTrue(wait_for(lambda: not folder.exists(), 120), "the folder is left")
                self.assertEqual(other.invoke(other.member(module, "echo"), "still here"), "still here")
            self.assertTrue(wait_for(lambda: not self.server.sessions()))
            if seen_at_work:
                break
        self.assertTrue(seen_at_work, "nobody was served before the folder was gone")

    def test_the_end_waits_until_a_huge_folder_is_removed(self):
        with Client(self.server.port) as client:
            client.call("tvm.rpc.server.upload", "first", b"x")
            folder, = self.server.sessions()
            self.fill(folder, 20_000)
        with Client(self.server.port) as other:
            other.call("opscope.server_info")
        work = self.server.work
        self.server.process.send_signal(signal.SIGTERM)
        self.assertTrue(wait_for(lambda: self.server.process.poll() is not None, 60), "the server does not end")
        self.assertFalse(work.exists(), "the server made it and left it")

    def test_a_folder_that_was_removed_is_made_again(self):
        for folder in self.server.work.iterdir():
            shutil.rmtree(folder)
        with Client(self.server.port) as client:
            self.assertTrue(client.call("tvm.rpc.server.workpath", "x").endswith("/x"))
            self.assertEqual(len(self.server.sessions()), 1)
        self.assertTrue(wait_for(lambda: not self.server.sessions()))

    def test_the_request_at_hand_is_answered_first(self):
        client = Client(self.server.port)
        self.addCleanup(client.socket.close)
        sleep = client.member(client.load(LIBRARY), "sleep")
        client.send(wire.CALL, struct.pack("<Q", sleep.handle) + wire.sequence([1]))
        time.sleep(0.3)
        self.server.process.send_signal(signal.SIGTERM)
        self.assertEqual(client.reply()[1], [0, None])

    def test_a_killed_server_takes_its_sessions_along_and_the_next_one_cleans_up(self):
        _, processes = self.busy()
        self.server.process.kill()
        self.server.process.wait()
        self.assertTrue(wait_for(lambda: not any(map(is_alive, processes))), "a session outlives its server")
        self.assertNotEqual(list(self.server.work.iterdir()), [])
        again = Server("--work-dir", str(self.server.work))
        self.assertEqual(len(list(self.server.work.iterdir())), 1)
        self.assertEqual(again.end(), 0)
        self.assertEqual(list(self.server.work.iterdir()), [])


class Queue(ServerCase):
    OPTIONS = ("--max-sessions", "2", "--key", "queue")

    def status(self):
        """The answer to who asks without a session."""
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=10) as connection:
            text = b"client:opscope.status"
            connection.sendall(struct.pack("<ii", wire.MAGIC, len(text)) + text)
            said = b""
            while part := connection.recv(5000):
                said += part
        self.assertEqual(struct.unpack("<i", said[:4]), (wire.MAGIC,))
        self.assertTrue(said[8:].startswith(b"status:"))
        return json.loads(said[15:])

    def test_clients_wait_for_their_turn_and_others_see_it(self):
        first, second = (self.client("queue", options=f" -opscope-client=user{i}") for i in range(2))
        waiting = []
        for _ in range(3):
            connection = socket.create_connection(("127.0.0.1", self.server.port), timeout=20)
            connection.sendall(struct.pack("<ii", wire.MAGIC, 12) + b"client:queue")
            waiting.append(connection)
        self.assertTrue(wait_for(lambda: self.status()["waiting"] == 3))
        status = self.status()
        self.assertEqual((status["session_count"], status["max_sessions"], status["tracker"]), (2, 2, False))
        self.assertEqual([s["holder"] for s in status["sessions"]], ["user0", "user1"])
        self.assertLess(abs(status["sessions"][0]["since_unix_s"] - time.time()), 60)
        waiting[0].close()  # gives up
        self.assertTrue(wait_for(lambda: self.status()["waiting"] == 2))
        first.close()
        self.assertEqual(waiting[1].recv(4), struct.pack("<i", wire.MAGIC))
        second.close()
        self.assertEqual(waiting[2].recv(4), struct.pack("<i", wire.MAGIC))
        for connection in waiting[1:]:
            connection.close()
        self.assertTrue(wait_for(lambda: self.status()["session_count"] == 0))


class Secret(unittest.TestCase):
    SECRET = b"correct horse battery staple"

    def setUp(self):
        self.file = pathlib.Path(tempfile.mkstemp()[1])
        self.file.write_bytes(self.SECRET + b"\n")
        self.addCleanup(self.file.unlink)
        self.server = Server("--secret-file", str(self.file))
        self.addCleanup(lambda: self.assertEqual(self.server.end(), 0))

    @staticmethod
    def proof(secret, role, text, own, theirs):
        return hmac.new(secret, f"opscope-rpc-1 {role}\n{text}\n{own}\n{theirs}".encode(), hashlib.sha256).hexdigest()

    def connect(self, secret, key="", change=lambda proof: proof, options=""):
        """Runs the exchange as docs/server.md has it; gives the connection and the server's last text."""
        connection = socket.create_connection(("127.0.0.1", self.server.port), timeout=10)
        self.addCleanup(connection.close)
        nonce = os.urandom(16).hex()
        text = f"client:{key} -timeout=60 -opscope-nonce={nonce}{options}"
        connection.sendall(struct.pack("<ii", wire.MAGIC, len(text)) + text.encode())
        client = Client.__new__(Client)
        client.socket, client.functions = connection, {}
        code, length = struct.unpack("<ii", client.receive(8))
        self.assertEqual(code, wire.MAGIC + 3)
        challenge = client.receive(length).decode()
        self.assertRegex(challenge, "^challenge:[0-9a-f]{32}$")
        theirs = challenge.split(":")[1]
        proof = "proof:" + change(self.proof(secret, "client", text, nonce, theirs))
        connection.sendall(struct.pack("<i", len(proof)) + proof.encode())
        said = client.hear()
        self.assertTrue(said.endswith(" -opscope-proof=" + self.proof(secret, "server", text, nonce, theirs)))
        return client, said

    def test_who_knows_it_comes_in(self):
        client, said = self.connect(self.SECRET)
        self.assertTrue(said.startswith("server: "))
        client.request(wire.INIT, struct.pack("<Q", 5) + b"0.8.0" + wire.sequence([]))
        self.assertIn("opscope.server/1", client.call("opscope.server_info"))
        client.close()
        self.assertTrue(self.connect(self.SECRET, "opscope.status")[1].startswith("status:{"))

    def test_a_client_that_can_use_it_gets_the_handle_of_the_description(self):
        client, said = self.connect(self.SECRET, options=" -opscope-info")
        handle = int(said.split(" -opscope-info=")[1].split()[0])
        client.request(wire.INIT, struct.pack("<Q", 5) + b"0.8.0" + wire.sequence([]))
        info = json.loads(client.invoke(wire.Handle(68, handle)))
        self.assertEqual(info["session_count"], 1)
        self.assertEqual(set(json.loads(client.call("opscope.server_info"))), set(info))
        client.close()

    def test_others_are_told_that_their_key_is_wrong(self):
        attempts = [lambda: Client(self.server.port), lambda: Client(self.server.port, "opscope.status"),
                    lambda: self.connect(b"another secret of some length"),
                    lambda: self.connect(self.SECRET, change=lambda proof: proof[:-1] + "x"),
                    lambda: self.connect(self.SECRET, change=lambda proof: proof[:10]),
                    lambda: self.connect(self.SECRET, change=str.upper)]
        for number, attempt in enumerate(attempts):
            with self.subTest(number), self.assertRaises(Refused) as caught:
                attempt()
            self.assertEqual(caught.exception.args, (2,))
        self.connect(self.SECRET)[0].socket.close()


class Uploads(ServerCase):
    HASH = {b"": "99aa06d3014798d86001c324468d497f", b"a": "a96faf705af16834e6c632b61e964e1f"}

    def setUp(self):
        self.board = self.client()

    def tearDown(self):
        self.board.close()

    def begin(self, content, name="file"):
        return self.board.call("opscope.upload_begin", name, self.HASH[content], len(content))

    def test_content_travels_once(self):
        self.assertEqual(self.begin(b"a"), 0)
        self.assertEqual(self.board.call("opscope.upload_chunk", self.HASH[b"a"], 0, b"a"), 1)
        self.board.call("opscope.upload_finish", "folder/one", self.HASH[b"a"])
        self.assertEqual(self.board.call("tvm.rpc.server.download", "folder/one"), b"a")
        with self.client() as other:
            self.assertEqual(other.call("opscope.upload_begin", "two", self.HASH[b"a"], 1), 1)
            self.assertEqual(other.call("tvm.rpc.server.download", "two"), b"a")
            other.call("tvm.rpc.server.upload", "two", b"changed")  # not what is kept
            self.assertEqual(other.call("opscope.upload_begin", "three", self.HASH[b"a"], 1), 1)
            self.assertEqual(other.call("tvm.rpc.server.download", "three"), b"a")
        kept = self.server.cache / self.HASH[b"a"]
        kept.write_bytes(b"b")  # spoilt on the disk
        self.assertEqual(self.begin(b"a"), 0)
        self.assertFalse(kept.exists())

    def test_an_upload_that_broke_off_goes_on(self):
        content = bytes(range(256)) * 1000
        size = len(content)
        name = "0123456789abcdef0123456789abcdef"  # no content has this hash here, which the end finds out
        with self.client() as first:
            self.assertEqual(first.call("opscope.upload_begin", "x", name, size), 0)
            self.assertEqual(first.call("opscope.upload_chunk", name, 0, content[:100_000]), 100_000)
            # Another session may not write to the same file; it gets one of its own.
            self.assertEqual(self.board.call("opscope.upload_begin", "x", name, size), 0)
        self.assertTrue(wait_for(lambda: len(self.server.sessions()) == 1))
        with self.client() as second:
            self.assertEqual(second.call("opscope.upload_begin", "x", name, size), 100_000)
            for words, arguments in (("do not fit", (name, 0, b"abc")), ("do not fit", (name, 100_000, content)),
                                     ("has begun", ("f" * 32, 0, b"abc"))):
                with self.assertRaisesRegex(RemoteError, words):
                    second.call("opscope.upload_chunk", *arguments)
            with self.assertRaisesRegex(RemoteError, "100000 of 256000 bytes"):
                second.call("opscope.upload_finish", "x", name)
            self.assertEqual(second.call("opscope.upload_chunk", name, 100_000, content[100_000:]), size)
            with self.assertRaisesRegex(RemoteError, "expected " + name):
                second.call("opscope.upload_finish", "x", name)
            self.assertEqual(second.call("opscope.upload_begin", "x", name, size), 0)

    def test_what_is_no_upload(self):
        for arguments in (("x", "../../etc/passwd", 5), ("x", "F" * 32, 5), ("../x", "f" * 32, 5), ("x", "f" * 32, -1),
                          ("x", "f" * 32, 2**60)):
            with self.assertRaises(RemoteError):
                self.board.call("opscope.upload_begin", *arguments)


class NoRoomForUploads(ServerCase):
    """The cache's folder cannot be made; that it is full looks the same to a client (parts_test has full disks)."""

    @classmethod
    def setUpClass(cls):
        cls.file = tempfile.NamedTemporaryFile()
        cls.OPTIONS = ("--cache-dir", cls.file.name + "/cache")
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.file.close()

    def opscope(self, *words):
        return subprocess.run([os.environ["OPSCOPE_CLI"], *words, "--target", f"rpc://127.0.0.1:{self.server.port}"],
                              capture_output=True, text=True, timeout=120)

    def test_the_client_is_told_that_nothing_is_kept(self):
        model = str(DATA / "vm" / "tvm027" / "mlp.so")
        told = f"does not keep uploads for the next time: {self.file.name}/cache: Not a directory"
        with tempfile.TemporaryDirectory() as folder:
            for words in (["run"], ["time", "--repeat", "3"], ["profile", "--samples", f"{folder}/run.json"]):
                done = self.opscope(*words, model)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stderr.count(told), 1, done.stderr)
            warnings = json.loads(pathlib.Path(folder, "run.json").read_text())["warnings"]
        self.assertEqual([told in warning["message"] for warning in warnings].count(True), 1)
        done = self.opscope("diverge", model, model, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(told, str(json.loads(done.stdout)["notes"]))

    def test_a_server_that_keeps_them_says_nothing(self):
        server = Server()
        self.addCleanup(server.end)
        done = subprocess.run([os.environ["OPSCOPE_CLI"], "run", str(DATA / "vm" / "tvm027" / "mlp.so"),
                               "--target", f"rpc://127.0.0.1:{server.port}"], capture_output=True, text=True, timeout=120)
        self.assertEqual((done.returncode, "does not keep" in done.stderr), (0, False), done.stderr)


class Clients021(ServerCase):
    OPTIONS = ("--client-abi", "0.21")

    def test_values_have_the_numbers_of_021(self):
        with self.client() as board:
            self.assertEqual(board.call("ffi.Shape", 1, 2).kind, 71)
            self.assertEqual(board.call("ffi.Array", 1, 2).kind, 69)
            module = board.load(LIBRARY)
            echo = board.member(module, "echo")
            values = board.request(wire.CALL, struct.pack("<Q", echo.handle) + wire.sequence(["short"]))
            self.assertEqual(values, [65, "short"])
            with self.assertRaisesRegex(RemoteError, "ValueError: boom$"):
                board.invoke(board.member(module, "fail"))
            model = board.load(DATA / "vm" / "tvm027" / "chain.so", "chain.so")
            vm = board.invoke(board.member(model, "vm_load_executable"))
            board.invoke(board.member(vm, "vm_initialization"), 1, 0, 2)
            output = board.invoke(board.member(vm, "main"), board.allocate((16,)))
            self.assertEqual(len(board.copy_from(output, 64)), 64)
            board.system(wire.FREE, Pointer(output.data))  # as those clients do
            with self.assertRaisesRegex(RemoteError, "not memory"):
                board.copy_from(output, 64)
            self.assertIsNone(board.function("ffi.SystemLib"))
            self.assertIsNotNone(board.function("runtime.SystemLib"))


if __name__ == "__main__":
    unittest.main()
