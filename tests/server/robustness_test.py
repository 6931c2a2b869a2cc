# SPDX-License-Identifier: Apache-2.0
"""Whatever a client does, the server lives, answers the next one, and keeps nothing of the last."""

import os
import signal
import socket
import struct
import time
import unittest

import wire
from server_case import LIBRARY, ServerCase, children_of, is_alive, wait_for
from wire import CPU, Client, Handle, Lost, Pointer, Raw, Refused, RemoteError, View


def reset(client):
    """Closes as a crash does: with RST."""
    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.socket.close()


class Handshakes(ServerCase):
    OPTIONS = ("--key", "board", "--handshake-timeout", "1")

    def client(self, key="board", **settings):
        return super().client(key, **settings)

    def raw(self, data):
        """What the server says to `data`, up to its end."""
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=10) as connection:
            connection.sendall(data)
            said = b""
            try:
                while part := connection.recv(100):
                    said += part
            except ConnectionError:
                pass
            return said

    def setUp(self):
        self.addCleanup(self.assert_server_answers)

    def test_wrong_magic_is_closed(self):
        self.assertEqual(self.raw(struct.pack("<ii", 0x2F271, 7) + b"client:"), b"")
        self.assertEqual(self.raw(b"GET / HTTP/1.1\r\n\r\n"), b"")

    def test_wrong_keys_get_the_mismatch_code(self):
        for key in ("", "other", "board2", "boar", "board:1"):
            with self.assertRaises(Refused) as caught:
                self.client(key)
            self.assertEqual(caught.exception.args, (2,))

    def test_lengths_of_keys_that_cannot_be(self):
        for length in (0, -1, -2**31, 2**31 - 1, 5000):
            self.assertEqual(self.raw(struct.pack("<ii", wire.MAGIC, length) + b"client:board"), b"")

    def test_texts_that_are_none(self):
        mismatch = struct.pack("<i", wire.MAGIC + 2)
        for text in (b"\xff\xfe\xfd", b"client", b"server:board", b" ", b"client:\xff", b"client:board -timeout=abc",
                     b"client:board -timeout=", b"client:board -timeout=nan", b"client:board -opscope-nonce=zz"):
            self.assertEqual(self.raw(struct.pack("<ii", wire.MAGIC, len(text)) + text), mismatch, text)

    def test_other_options_are_passed_over(self):
        for options in (" -timeout=100", " -timeout=2.5e2", " -timeout=0", " -unknown=3 word", "  -timeout=7  "):
            self.client(options=options).close()

    def test_a_handshake_byte_by_byte(self):
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=10) as connection:
            for byte in struct.pack("<ii", wire.MAGIC, 12) + b"client:board":
                connection.sendall(bytes([byte]))
                time.sleep(0.01)
            self.assertEqual(connection.recv(4), struct.pack("<i", wire.MAGIC))

    def test_more_silent_connections_than_fit_keep_nobody_out(self):
        silent = [socket.create_connection(("127.0.0.1", self.server.port), timeout=10) for _ in range(300)]
        try:
            for connection in silent[-100:]:
                connection.sendall(b"\x71\xf2")  # some begin to speak
            board = self.client()
            silent[-1].setblocking(False)
            with self.assertRaises(BlockingIOError, msg="the others' handshakes are not over"):
                silent[-1].recv(1)
            board.close()
        finally:
            for connection in silent:
                connection.close()

    def test_silent_connections_hold_nobody_up_and_are_closed(self):
        silent = [socket.create_connection(("127.0.0.1", self.server.port), timeout=10) for _ in range(40)]
        silent[0].sendall(b"\x71\xf2")
        self.assert_server_answers()
        for connection in silent:
            self.assertEqual(connection.recv(1), b"")
            connection.close()

    def test_cut_handshakes(self):
        whole = struct.pack("<ii", wire.MAGIC, 12) + b"client:board"
        for size in range(len(whole)):
            with socket.create_connection(("127.0.0.1", self.server.port), timeout=10) as connection:
                connection.sendall(whole[:size])

    def test_session_that_never_says_a_frame(self):
        for _ in range(10):
            self.client(initialise=False).socket.close()


class Frames(ServerCase):
    def setUp(self):
        self.addCleanup(self.assert_server_answers)  # after all clients of the test are closed
        self.board = self.client()

    def assert_refused(self, code, payload, words=""):
        with self.assertRaisesRegex(RemoteError, words):
            self.board.request(code, payload)
        self.assertIsNone(self.board.system(wire.SYNC, CPU, Pointer(0)))  # the session goes on

    def test_requests_before_init(self):
        early = self.client(initialise=False)
        for code in [*range(wire.CALL, wire.GET_STREAM + 1)]:
            with self.assertRaisesRegex(RemoteError, "not initialised"):
                early.request(code, wire.sequence([]))
        early.request(wire.INIT, struct.pack("<Q", 5) + b"0.8.0" + wire.sequence([]))
        self.assertIsNotNone(early.function("opscope.server_info"))

    def test_init_that_is_not_ours(self):
        self.assert_refused(wire.INIT, struct.pack("<Q", 5) + b"0.8.0" + wire.sequence([]), "already")
        other = self.client(initialise=False)
        for version, values, words in ((b"0.7.0", [], "version"), (b"", [], "version"),
                                       (b"0.8.0", ["rpc.Connect", "127.0.0.1", 1, "", False], "other servers")):
            with self.assertRaisesRegex(RemoteError, words):
                other.request(wire.INIT, struct.pack("<Q", len(version)) + version + wire.sequence(values))
        with self.assertRaisesRegex(RemoteError, "ends inside"):
            other.request(wire.INIT, struct.pack("<Q", 2**60) + b"0.8.0")

    def test_unknown_codes(self):
        for code in (0, wire.RETURN, wire.EXCEPTION, wire.COPY_ACK, 22, 1000, -1, -2**31, 2**31 - 1):
            self.assert_refused(code, wire.sequence([]), "no request")

    def test_unknown_tags_lengths_and_endings(self):
        echo = self.board.function("ffi.Array").handle
        call = struct.pack("<Q", echo)
        for payload in (struct.pack("<ii", 1, 99), struct.pack("<ii", 1, 10), struct.pack("<ii", 1, -1),
                        struct.pack("<iiQ", 1, 8, 2**50), struct.pack("<iiQ", 1, 9, 2**64 - 1),
                        struct.pack("<iiIQ", 1, 66, 66, 2**63), struct.pack("<iiI", 1, 65, 77), struct.pack("<i", 2**31 - 1),
                        struct.pack("<i", -1), struct.pack("<i", 1), b"", b"\1\0\0", wire.sequence([1]) + b"abc",
                        struct.pack("<ii", 1, 7) + struct.pack("<QiiiBBH", 0, 1, 0, 2**31 - 1, 2, 32, 1),
                        struct.pack("<ii", 1, 7) + struct.pack("<QiiiBBH", 0, 1, 0, -1, 2, 32, 1)):
            self.assert_refused(wire.CALL, call + payload)

    def test_wrong_values_for_every_system_call(self):
        wrong = ([], [None], [1], ["x"], [CPU], [CPU, "x"], [CPU, 1, 2], [View(0, (1,)), View(0, (1,)), 5],
                 [b"x" * 100], [Handle(68, 7)], [Handle(71, 7)], [Pointer(1), Pointer(2)], [1.5] * 5)
        for code in range(wire.GET_FUNCTION, wire.GET_STREAM + 1):
            for values in wrong:
                try:
                    self.board.system(code, *values)
                except RemoteError:
                    pass
        self.assertIsNone(self.board.system(wire.SYNC, CPU, Pointer(0)))

    def test_copies_that_do_not_fit_their_frames(self):
        view = self.board.allocate((4,))
        for claimed, data in ((16, bytes(15)), (16, bytes(17)), (2**62, bytes(16)), (0, bytes(16)), (2**64 - 1, b"")):
            self.assert_refused(wire.COPY_TO, view.wire() + struct.pack("<Q", claimed) + data, "claims")
        for payload in (b"", view.wire()[:10], view.wire(), view.wire() + bytes(7), struct.pack("<QiiiBBH", 0, 1, 0, 70, 2, 32, 1)):
            self.assert_refused(wire.COPY_TO, payload)
            self.assert_refused(wire.COPY_FROM, payload)
        self.assert_refused(wire.COPY_FROM, view.wire() + struct.pack("<Q", 16) + b"more")

    def test_frames_too_short_for_a_code(self):
        for size in (1, 2, 3):
            self.board.socket.sendall(struct.pack("<Q", size) + bytes(size))
            with self.assertRaisesRegex(RemoteError, "too short"):
                self.board.reply()

    def test_impossible_lengths_end_the_session_with_words(self):
        for length in (2**62, 2**64 - 1, 2**40):
            board = self.client()
            board.socket.sendall(struct.pack("<Qi", length, wire.CALL))
            with self.assertRaisesRegex(RemoteError, "claims"):
                board.reply()
            self.assertRaises(Lost, board.reply)

    def test_large_claims_cost_no_memory(self):
        board = self.client()
        board.socket.sendall(struct.pack("<Qi", 2**31, wire.CALL) + bytes(1000))
        newest = max(child for child in children_of(self.server.process.pid))
        for child in {newest, *children_of(self.server.process.pid)}:
            with open(f"/proc/{child}/statm", encoding="ascii") as file:
                self.assertLess(int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE"), 400 << 20)

    def test_every_cut_of_a_session(self):
        view = View(0, (4,))
        frames = [(wire.INIT, struct.pack("<Q", 5) + b"0.8.0" + wire.sequence([])),
                  (wire.GET_FUNCTION, wire.sequence(["ffi.Array"])), (wire.ALLOCATE, wire.sequence([view, None])),
                  (wire.COPY_TO, view.wire() + struct.pack("<Q", 16) + bytes(16)),
                  (wire.CALL, struct.pack("<Q", 1 << 32) + wire.sequence(["text", b"bytes", 1]))]
        whole = b"".join(struct.pack("<Qi", 4 + len(payload), code) + payload for code, payload in frames)
        for size in range(0, len(whole), 1 if not os.environ.get("OPSCOPE_SERVER_RUNNER") else 40):
            board = self.client(initialise=False)
            board.socket.sendall(whole[:size])
            (reset if size % 3 == 0 else lambda cut: cut.socket.close())(board)


class Ends(ServerCase):
    def library(self, board):
        module = board.load(LIBRARY)
        return lambda name, *values: board.invoke(board.member(module, name), *values)

    def setUp(self):
        self.addCleanup(self.assert_server_answers)  # after all clients of the test are closed

    def test_replies_come_after_the_client_closed_its_sending_side(self):
        board = self.client()
        board.send(wire.GET_FUNCTION, wire.sequence(["ffi.Array"]))
        board.socket.shutdown(socket.SHUT_WR)
        self.assertNotEqual(board.reply()[1][0].address, 0)
        self.assertRaises(Lost, board.reply)

    def test_a_slow_client_is_served_byte_by_byte(self):
        board = self.client(initialise=False)
        frames = [(wire.INIT, struct.pack("<Q", 5) + b"0.8.0" + wire.sequence([])), (wire.GET_FUNCTION, wire.sequence(["ffi.Array"]))]
        for byte in b"".join(struct.pack("<Qi", 4 + len(payload), code) + payload for code, payload in frames):
            board.socket.sendall(bytes([byte]))
            time.sleep(0.005)
        self.assertEqual(board.reply()[1], [None])
        self.assertNotEqual(board.reply()[1][0].address, 0)

    def test_a_client_that_reads_slowly_gets_all_of_its_reply(self):
        board = self.client()
        size = 16 << 20
        view = board.allocate((size // 4,))
        board.copy_to(view, bytes(range(256)) * (size // 256))
        board.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        board.send(wire.COPY_FROM, view.wire() + struct.pack("<Q", size))
        received = bytearray()
        while len(received) < size + 12:
            received += board.socket.recv(1 << 20)
            time.sleep(0.002)
        self.assertEqual(received[12:], bytes(range(256)) * (size // 256))
        self.assertIsNone(board.system(wire.SYNC, CPU, Pointer(0)))

    def test_a_client_that_says_nothing_holds_nobody_up(self):
        silent = self.client()
        before = time.monotonic()
        with self.client() as other:
            self.assertIsNotNone(other.function("ffi.Array"))
        self.assertLess(time.monotonic() - before, 10)
        self.assertIsNone(silent.system(wire.SYNC, CPU, Pointer(0)))

    def test_reset_inside_of_an_upload(self):
        board = self.client()
        board.socket.sendall(struct.pack("<QiQ", 50_000_000, wire.CALL, 5) + bytes(2_000_000))
        reset(board)

    def test_crashes_in_a_call(self):
        for function in ("crash", "terminate"):
            call = self.library(self.client())
            with self.subTest(function), self.assertRaises(Lost):
                call(function)

    def test_killed_session(self):
        before = set(children_of(self.server.process.pid))
        board = self.client()
        self.assertTrue(before)
        for process in before:
            os.kill(process, signal.SIGKILL)
        self.assertRaises((Lost, OSError), lambda: [board.function(str(i)) for i in range(50) if not time.sleep(0.05)])

    def test_timeout_while_idle(self):
        for text, seconds in (("1", 1), ("0.5", 0.5)):
            board = self.client(options=f" -timeout={text}")
            begin = time.monotonic()
            with self.assertRaisesRegex(RemoteError, "^RPCSessionTimeoutError: "):
                board.reply()
            self.assertGreaterEqual(time.monotonic() - begin, seconds * 0.9)
            self.assertRaises(Lost, board.reply)

    def test_timeout_in_a_call(self):
        call = self.library(self.client(options=" -timeout=1"))
        with self.assertRaisesRegex(RemoteError, "^RPCSessionTimeoutError: "):
            call("sleep", 60)

    def test_timeout_does_not_land_inside_of_a_reply(self):
        board = self.client(options=" -timeout=1")
        view = board.allocate((16 << 20,))
        board.send(wire.COPY_FROM, view.wire() + struct.pack("<Q", 64 << 20))
        # The reply is under way and nobody reads it.
        self.assertTrue(wait_for(lambda: not self.server.sessions(), 60), "the session does not end")
        received = 0
        try:
            while part := board.socket.recv(1 << 20):
                received += len(part)
                self.assertNotIn(b"RPCSessionTimeoutError", part)
        except ConnectionError:
            pass
        self.assertLess(received, 64 << 20)

    def test_client_that_dies_in_a_kernel_frees_the_session(self):
        board = self.client()
        call = self.library(board)
        call("leave_file")
        board.socket.settimeout(0.3)
        self.assertRaises(TimeoutError, call, "sleep", 600)
        self.assertEqual(len(self.server.sessions()), 1)
        board.socket.close()
        self.assertTrue(wait_for(lambda: not self.server.sessions(), 10))

    def test_no_process_outlives_its_session(self):
        with self.client() as board:
            child = self.library(board)("start_child", 600)
            self.assertTrue(is_alive(child))
        self.assertTrue(wait_for(lambda: not is_alive(child)))

    def test_no_process_that_those_have_started_does_either(self):
        with self.client() as board:
            last = self.library(board)("start_chain", 600)
            self.assertTrue(is_alive(last))
        self.assertTrue(wait_for(lambda: not is_alive(last)))


if __name__ == "__main__":
    unittest.main()
