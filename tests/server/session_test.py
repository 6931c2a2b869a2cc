# SPDX-License-Identifier: Apache-2.0
"""What a session answers: values, exceptions, memory, files, modules, streams, pipelined requests."""

import json
import math
import os
import pathlib
import struct
import unittest

import wire
from server_case import DATA, LIBRARY, ServerCase, wait_for
from wire import CPU, FLOAT32, DataType, Device, Handle, Pointer, Raw, RemoteError, View


class Values(ServerCase):
    def setUp(self):
        self.board = self.client()
        self.library = self.board.load(LIBRARY)

    def tearDown(self):
        self.board.close()

    def echo(self, value):
        return self.board.invoke(self.board.member(self.library, "echo"), value)

    def test_every_kind_of_value_comes_back_as_it_went(self):
        for value in (None, True, False, 0, 1, -1, 2**63 - 1, -2**63, 0.0, -2.5, math.inf, 1e-310, Pointer(0),
                      Pointer(2**64 - 1), FLOAT32, DataType(0, 8, 4), CPU, Device(2, 3), "", "seven77", "longer than 7",
                      "ümläut", "x" * 70000, b"", b"\0\1\2", b"binary\0" * 4, bytes(200_000)):
            with self.subTest(value=str(value)[:40]):
                self.assertEqual(self.echo(value), value)
        self.assertTrue(math.isnan(self.echo(math.nan)))

    def test_strings_and_bytes_of_every_tag(self):
        def objects(outer, inner, text):
            return Raw(struct.pack("<iIQ", outer, inner, len(text)) + text)
        self.assertEqual(self.echo(objects(11, 65, b"short")), "short")
        self.assertEqual(self.echo(objects(65, 65, b"a longer string")), "a longer string")
        self.assertEqual(self.echo(objects(12, 66, b"\0\1")), b"\0\1")
        self.assertEqual(self.echo(objects(66, 66, b"longer\0bytes")), b"longer\0bytes")
        self.assertEqual(self.echo("cut\0here"), "cut")  # it travels back as a C string

    def test_type_tags_are_those_of_tvm(self):
        def tag(value):
            echo = self.board.member(self.library, "echo")
            return self.board.request(wire.CALL, struct.pack("<Q", echo.handle) + wire.sequence([value]))[0]
        for value, expected in ((None, 0), (1, 1), (True, 2), (0.5, 3), (Pointer(1), 4), (FLOAT32, 5), (CPU, 6),
                                ("short", 11), ("a longer string", 65), (b"short", 12), (b"longer bytes", 66)):
            self.assertEqual(tag(value), expected, value)
        self.assertEqual(self.board.call("ffi.Shape", 1, 2).kind, 69)
        self.assertEqual(self.board.call("ffi.Array", 1, 2).kind, 71)
        self.assertEqual(self.board.call("ffi.Map", "a", 2).kind, 72)
        self.assertEqual(self.library.kind, 73)
        self.assertEqual(self.board.member(self.library, "echo").kind, 68)

    def test_objects_are_arguments_by_their_handles(self):
        array = self.board.call("ffi.Array", 7, "x")
        self.assertEqual(self.board.call("ffi.ArraySize", array), 2)
        self.assertEqual(self.board.call("ffi.ArrayGetItem", array, 0), 7)
        self.board.system(wire.FREE, Pointer(array.handle))
        with self.assertRaisesRegex(RemoteError, "no handle"):
            self.board.call("ffi.ArraySize", array)

    def test_modules_are_imported_into_others(self):
        model = self.board.load(DATA / "vm" / "tvm027" / "chain.so", "chain.so")
        self.assertIsNone(self.board.member(model, "echo"))
        self.assertIsNone(self.board.call("tvm.rpc.server.ImportModule", model, self.library))
        self.assertEqual(self.board.invoke(self.board.member(model, "echo"), 5), 5)
        self.assertIsNone(self.board.call("tvm.rpc.server.ModuleGetFunction", model, "echo", False))
        for arguments in ((self.library,), (5, self.library), (self.library, "text")):
            with self.assertRaises(RemoteError):
                self.board.call("tvm.rpc.server.ImportModule", *arguments)

    def test_exceptions_are_the_bare_message_and_the_session_goes_on(self):
        with self.assertRaises(RemoteError) as caught:
            self.board.invoke(self.board.member(self.library, "fail"))
        self.assertEqual(str(caught.exception), "boom")
        self.assertEqual(self.echo(3), 3)

    def test_missing_things_are_none(self):
        self.assertIsNone(self.board.function("no.such.function"))
        self.assertIsNone(self.board.member(self.library, "no_such_function"))
        self.assertIsNone(self.board.function("rpc.Connect"))  # no way into the network behind the server

    def test_the_number_of_kernel_threads_is_told(self):
        count = self.board.call("runtime.NumThreads")
        self.assertTrue(1 <= count <= os.cpu_count() or count == int(os.environ.get("TVM_NUM_THREADS", 0)), count)

    def test_the_kernel_threads_are_configured_before_the_first_library(self):
        with self.client() as board:
            for threads, pin, spin in ((-1, True, 300), (1025, True, 300), (2**40, True, 300), (2, True, -1), (2, True, 2**40)):
                with self.assertRaisesRegex(RemoteError, "cannot be had"):
                    board.call("opscope.configure_threads", threads, pin, spin)
            self.assertIsNone(board.call("opscope.configure_threads", 3, False, 0))
            board.load(LIBRARY)
            self.assertEqual(board.call("runtime.NumThreads"), 3)
            self.assertIsNone(board.call("opscope.configure_threads", 3, False, 0))
            with self.assertRaisesRegex(RemoteError, "there already"):
                board.call("opscope.configure_threads", 2, False, 0)
            self.assertEqual(board.call("runtime.NumThreads"), 3)

    def test_names_of_global_functions_can_be_listed(self):
        names = self.board.call("ffi.FunctionListGlobalNamesFunctor")
        found = {self.board.invoke(names, i) for i in range(self.board.invoke(names, -1))}
        for name in ("tvm.rpc.server.upload", "runtime.RPCTimeEvaluator", "ffi.SystemLib", "opscope.server_info"):
            self.assertIn(name, found)

    def test_wrong_handles_are_told_and_not_followed(self):
        for handle in (0, 1, 0x7F0000001000, 2**64 - 1, self.library.handle):
            with self.assertRaisesRegex(RemoteError, "no handle"):
                self.board.invoke(Handle(68, handle))
        with self.assertRaisesRegex(RemoteError, "no handle of a module"):
            self.board.member(Handle(73, 12345), "echo")
        for handle in (0, 5, 0x7F0000001000):
            with self.assertRaisesRegex(RemoteError, "no handle|is free"):
                self.board.system(wire.FREE, Pointer(handle))
        self.assertEqual(self.echo(1), 1)


class Memory(ServerCase):
    def setUp(self):
        self.board = self.client()

    def tearDown(self):
        self.board.close()

    def test_views_with_offsets_copy_the_right_bytes(self):
        data = struct.pack("<16f", *range(16))
        view = self.board.allocate((16,))
        self.board.copy_to(view, data)
        view.offset = 16
        self.assertEqual(struct.unpack("<4f", self.board.copy_from(view, 16)), (4, 5, 6, 7))
        self.board.copy_to(view, struct.pack("<2f", -1, -2))
        moved = View(view.data + 12, (2,))  # an offset in the pointer, as through a hop
        self.assertEqual(struct.unpack("<2f", self.board.copy_from(moved, 8)), (3, -1))
        other = self.board.allocate((16,))
        view.offset = 0
        self.board.system(wire.COPY, view, other, Pointer(0))
        self.assertEqual(self.board.copy_from(other, 64), self.board.copy_from(view, 64))
        for freed in (view, other):
            self.board.system(wire.FREE_DATA, CPU, Pointer(freed.data))

    def test_memory_that_is_not_the_clients_is_not_touched(self):
        view = self.board.allocate((16,))
        beyond = View(view.data, (16,), offset=4)
        attempts = [lambda: self.board.copy_from(view, 65), lambda: self.board.copy_from(beyond, 64),
                    lambda: self.board.copy_to(view, bytes(65)), lambda: self.board.copy_from(View(0, (1,)), 4),
                    lambda: self.board.copy_from(View(view.data - 1, (1,)), 4),
                    lambda: self.board.copy_to(View(2**64 - 4, (1,), offset=8), bytes(4)),
                    lambda: self.board.copy_from(View(view.data, (2**61,)), 2**63),
                    lambda: self.board.system(wire.COPY, beyond, view, Pointer(0)),
                    lambda: self.board.call("ffi.Array", beyond),
                    lambda: self.board.system(wire.FREE_DATA, CPU, Pointer(view.data + 64))]
        for number, attempt in enumerate(attempts):
            with self.subTest(number), self.assertRaisesRegex(RemoteError, "not memory|not allocated|no possible size"):
                attempt()
        self.board.system(wire.FREE_DATA, CPU, Pointer(view.data))
        with self.assertRaisesRegex(RemoteError, "not memory"):
            self.board.copy_from(view, 4)
        with self.assertRaisesRegex(RemoteError, "free already"):
            self.board.system(wire.FREE_DATA, CPU, Pointer(view.data))

    def test_impossible_allocations_are_exceptions(self):
        for shape in ((2**40, 2**20), (-1,), (2**62,), (2**45,)):
            with self.subTest(shape=shape), self.assertRaises(RemoteError):
                self.board.allocate(shape)
        for bytes_wanted, alignment in ((-1, 64), (2**60, 64), (16, -1), (16, 2**40), (16, 48)):
            with self.subTest(bytes=bytes_wanted, alignment=alignment), self.assertRaises(RemoteError):
                self.board.system(wire.ALLOCATE_BYTES, CPU, bytes_wanted, alignment, FLOAT32)
        with self.assertRaisesRegex(RemoteError, "memory scope"):
            self.board.system(wire.ALLOCATE, View(0, (4,)), "texture")
        self.assertGreater(self.board.system(wire.ALLOCATE_BYTES, CPU, 0, 0, FLOAT32).address, 0)

    def test_devices_and_streams(self):
        attribute = lambda device, kind: self.board.system(wire.ATTRIBUTE, device, kind)
        self.assertEqual(attribute(CPU, 0), 1)
        self.assertEqual(attribute(Device(2, 0), 0), 0)
        self.assertEqual(attribute(Device(1, 1), 0), 0)
        self.assertIn("processor", attribute(CPU, 5))
        self.assertGreater(attribute(CPU, 14), attribute(CPU, 15))
        self.assertGreater(attribute(CPU, 15), 0)
        self.assertIsNone(attribute(CPU, 2))
        with self.assertRaisesRegex(RemoteError, "does not exist"):
            attribute(Device(2, 0), 5)
        self.assertIsNone(self.board.system(wire.SET_DEVICE, CPU))
        stream = self.board.system(wire.MAKE_STREAM, CPU)
        for code in (wire.SYNC, wire.SET_STREAM, wire.FREE_STREAM):
            self.assertIsNone(self.board.system(code, CPU, stream))
        self.assertEqual(self.board.system(wire.GET_STREAM, CPU), Pointer(0))
        self.assertIsNone(self.board.system(wire.SYNC, CPU, None))

    def test_large_copies_keep_every_byte(self):
        data = bytes(range(256)) * 4096 * 24  # 24 MiB
        view = self.board.allocate((len(data) // 4,))
        self.board.copy_to(view, data)
        self.assertTrue(self.board.copy_from(view, len(data)) == data)


class FilesAndModels(ServerCase):
    def setUp(self):
        self.board = self.client()

    def tearDown(self):
        self.board.close()

    def test_files_go_and_come_back(self):
        for size in (0, 1, 7, 8, 100_000, 3_000_000):
            data = bytes(i * 7 % 256 for i in range(size)) if size < 10**6 else bytes(size)
            self.board.call("tvm.rpc.server.upload", "folder/file.bin", data)
            self.assertTrue(self.board.call("tvm.rpc.server.download", "folder/file.bin") == data)
        self.assertEqual(self.board.call("tvm.rpc.server.listdir", "folder"), "file.bin")
        path = self.board.call("tvm.rpc.server.workpath", "folder/file.bin")
        self.assertTrue(self.board.call("tvm.rpc.server.download", path) == bytes(3_000_000))
        self.board.call("tvm.rpc.server.remove", "folder/file.bin")
        for name in ("folder/file.bin", "folder"):
            with self.assertRaises(RemoteError):
                self.board.call("tvm.rpc.server.download", name)

    def test_names_do_not_lead_out_of_the_sessions_folder(self):
        for name in ("../x", "/etc/hostname", "a/../../x", "..", "", "a\0b"):
            for call in (lambda: self.board.call("tvm.rpc.server.upload", name, b"x"),
                         lambda: self.board.call("tvm.rpc.server.download", name),
                         lambda: self.board.call("tvm.rpc.server.remove", name),
                         lambda: self.board.call("tvm.rpc.server.load_module", name)):
                if "\0" in name:
                    continue
                with self.subTest(name=name), self.assertRaisesRegex(RemoteError, "cannot be the name|Cannot read"):
                    call()

    def test_a_model_runs_with_the_right_values(self):
        model = self.board.load(DATA / "vm" / "tvm027" / "chain.so", "chain.so")
        vm = self.board.invoke(self.board.member(model, "vm_load_executable"))
        self.board.invoke(self.board.member(vm, "vm_initialization"), 1, 0, 2)
        view = self.board.allocate((16,))
        self.board.copy_to(view, struct.pack("<16f", *range(16)))
        self.board.invoke(self.board.member(vm, "set_input"), "main", view)
        self.board.invoke(self.board.member(vm, "invoke_stateful"), "main")
        output = self.board.invoke(self.board.member(vm, "get_output"), "main")
        stateful = self.board.copy_from(output, 64)
        self.board.system(wire.FREE, Pointer(output.owner))
        with self.assertRaisesRegex(RemoteError, "not memory"):
            self.board.copy_from(output, 64)
        direct = self.board.invoke(self.board.member(vm, "main"), view)
        self.assertEqual(self.board.copy_from(direct, 64), stateful)
        self.assertNotEqual(stateful, bytes(64))

    def test_broken_libraries_are_exceptions(self):
        whole = (DATA / "vm" / "tvm027" / "chain.so").read_bytes()
        for name, content in (("empty.so", b""), ("text.so", b"not a library"), ("half.so", whole[:len(whole) // 2]),
                              ("model.zip", b"PK\3\4" + bytes(100))):
            self.board.call("tvm.rpc.server.upload", name, content)
            with self.subTest(name=name), self.assertRaises(RemoteError):
                self.board.call("tvm.rpc.server.load_module", name)

    def test_linked_libraries_can_be_had(self):
        library = pathlib.Path(LIBRARY).read_bytes()
        self.board.call("tvm.rpc.server.upload", "a.so", library)
        self.assertTrue(self.board.call("tvm.rpc.server.download_linked_module", "a.so") == library)
        self.board.call("tvm.rpc.server.upload", "a.txt", b"text")
        with self.assertRaisesRegex(RemoteError, "no library"):
            self.board.call("tvm.rpc.server.download_linked_module", "a.txt")

    def test_two_thousand_requests_in_one_go(self):
        board = self.board
        functions = [board.member(board.load(LIBRARY), name) for name in ("echo", "fail")]
        requests = b""
        for i in range(2000):
            function = functions[i % 10 == 9]
            body = struct.pack("<iQ", wire.CALL, function.handle) + wire.sequence([] if i % 10 == 9 else [i])
            requests += struct.pack("<Q", 0) * (i % 3 == 0) + struct.pack("<Q", len(body)) + body
        board.socket.sendall(requests)
        for i in range(2000):
            if i % 10 == 9:
                self.assertRaisesRegex(RemoteError, "boom", board.reply)
            else:
                self.assertEqual(board.reply()[1], [1, i])

    def test_server_info_tells_who_holds_the_board(self):
        def told():
            return json.loads(self.board.call("opscope.server_info"))
        self.assertTrue(wait_for(lambda: told()["session_count"] == 1, 60), "sessions of other tests do not end")
        with self.client(options=" -opscope-client=ada@laptop"):
            info = told()
        self.assertEqual(info["schema"], "opscope.server/1")
        self.assertEqual({s["holder"] for s in info["sessions"]}, {"", "ada@laptop"})
        self.assertEqual(info["devices"][0]["name"], "cpu:0")
        self.assertGreater(info["memory"]["available_bytes"], 0)
        self.assertEqual((info["session_count"], info["waiting"], info["abi"]), (2, 0, "0.22"))


if __name__ == "__main__":
    unittest.main()
