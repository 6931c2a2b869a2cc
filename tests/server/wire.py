# SPDX-License-Identifier: Apache-2.0
"""A client of TVM's RPC over plain sockets, with nothing but the standard library: what stands in no frame of ours can
be sent too. Values are Python's: None, bool, int, float, str (a C string), bytes, Pointer, DataType, Device, View, Handle."""

import collections
import socket
import struct

MAGIC = 0xFF271
(SHUTDOWN, INIT, CALL, RETURN, EXCEPTION, COPY_FROM, COPY_TO, COPY_ACK, GET_FUNCTION, FREE, SET_DEVICE, ATTRIBUTE,
 ALLOCATE_BYTES, FREE_DATA, SYNC, COPY, ALLOCATE, MAKE_STREAM, FREE_STREAM, SET_STREAM, GET_STREAM) = range(1, 22)
(T_NONE, T_INT, T_BOOL, T_FLOAT, T_POINTER, T_TYPE, T_DEVICE, T_VIEW, T_CSTRING, T_BYTES) = range(10)
T_FUNCTION, T_MODULE, T_REFERENCE = 68, 73, 115

Pointer = collections.namedtuple("Pointer", "address")
DataType = collections.namedtuple("DataType", "code bits lanes")
Device = collections.namedtuple("Device", "type id")
Handle = collections.namedtuple("Handle", "kind handle")
Raw = collections.namedtuple("Raw", "bytes")
FLOAT32 = DataType(2, 32, 1)
CPU = Device(1, 0)


class Lost(Exception):
    """The server closed the connection."""


class RemoteError(Exception):
    """An exception frame."""


class Refused(Exception):
    """The handshake was answered with another code than the magic."""


class View:
    def __init__(self, data, shape, dtype=FLOAT32, device=CPU, offset=0, owner=None):
        self.data, self.shape, self.dtype, self.device = data, tuple(shape), dtype, device
        self.offset, self.owner = offset, owner

    def wire(self):
        return (struct.pack("<QiiiBBH", self.data, *self.device, len(self.shape), *self.dtype) +
                struct.pack(f"<{len(self.shape)}q", *self.shape) + struct.pack("<Q", self.offset))


def encode(value):
    if value is None:
        return struct.pack("<i", T_NONE)
    if isinstance(value, bool):
        return struct.pack("<iq", T_BOOL, value)
    if isinstance(value, int):
        return struct.pack("<iq", T_INT, value)
    if isinstance(value, float):
        return struct.pack("<id", T_FLOAT, value)
    if isinstance(value, Pointer):
        return struct.pack("<iQ", T_POINTER, value.address)
    if isinstance(value, DataType):
        return struct.pack("<iBBHi", T_TYPE, *value, 0)
    if isinstance(value, Device):
        return struct.pack("<iii", T_DEVICE, *value)
    if isinstance(value, View):
        return struct.pack("<i", T_VIEW) + value.wire()
    if isinstance(value, str):
        return struct.pack("<iQ", T_CSTRING, len(value.encode())) + value.encode()
    if isinstance(value, bytes):
        return struct.pack("<iQ", T_BYTES, len(value)) + value
    if isinstance(value, Raw):
        return value.bytes
    if value.kind in (T_FUNCTION, T_MODULE):
        return struct.pack("<iQ", value.kind, value.handle)
    return struct.pack("<iIQ", T_REFERENCE, T_REFERENCE, value.handle)


def sequence(values):
    return struct.pack("<i", len(values)) + b"".join(map(encode, values))


class Reader:
    def __init__(self, data):
        self.data, self.position = data, 0

    def take(self, layout):
        size = struct.calcsize("<" + layout)
        part = self.data[self.position:self.position + size]
        assert len(part) == size, "the reply is cut"
        self.position += size
        return struct.unpack("<" + layout, part)

    def value(self):
        (tag,) = self.take("i")
        simple = {T_INT: "q", T_FLOAT: "d"}
        if tag in simple:
            return self.take(simple[tag])[0]
        if tag == T_NONE:
            return None
        if tag == T_BOOL:
            return bool(self.take("q")[0])
        if tag == T_POINTER:
            return Pointer(self.take("Q")[0])
        if tag == T_TYPE:
            return DataType(*self.take("BBHi")[:3])
        if tag == T_DEVICE:
            return Device(*self.take("ii"))
        if tag == T_VIEW:
            data, kind, number, dimensions, *dtype = self.take("QiiiBBH")
            shape = self.take(f"{dimensions}q")
            return View(data, shape, DataType(*dtype), Device(kind, number), self.take("Q")[0])
        assert tag in (T_CSTRING, T_BYTES), f"tag {tag} in a reply"
        (length,) = self.take("Q")
        data = self.take(f"{length}s")[0]
        return data.decode() if tag == T_CSTRING else data

    def sequence(self):
        values = [self.value() for _ in range(self.take("i")[0])]
        assert self.position == len(self.data), "bytes follow the reply"
        return values


class Client:
    def __init__(self, port, key="", options="", initialise=True, timeout=20, host="127.0.0.1"):
        self.socket = socket.create_connection((host, port), timeout=timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.functions = {}
        try:
            self.say(f"client:{key}{options}".encode())
            self.server = self.hear()
            if initialise:
                self.request(INIT, struct.pack("<Q", 5) + b"0.8.0" + sequence([]))
        except BaseException:
            self.socket.close()
            raise

    def say(self, text):
        self.socket.sendall(struct.pack("<ii", MAGIC, len(text)) + text)

    def hear(self):
        (code,) = struct.unpack("<i", self.receive(4))
        if code != MAGIC:
            raise Refused(code - MAGIC)
        return self.receive(struct.unpack("<i", self.receive(4))[0]).decode()

    def receive(self, size):
        data = bytearray()
        while len(data) < size:
            try:
                part = self.socket.recv(size - len(data))
            except ConnectionError as error:
                raise Lost(str(error)) from error
            if not part:
                raise Lost(f"after {len(data)} of {size} bytes")
            data += part
        return bytes(data)

    def send(self, code, payload=b""):
        self.socket.sendall(struct.pack("<Qi", 4 + len(payload), code) + payload)

    def reply(self):
        """(code, values or bytes)"""
        body = self.receive(struct.unpack("<Q", self.receive(8))[0])
        (code,) = struct.unpack("<i", body[:4])
        if code == COPY_ACK:
            return code, body[4:]
        values = Reader(body[4:]).sequence()
        if code == EXCEPTION:
            raise RemoteError(values[0])
        assert code == RETURN, f"code {code} where a reply was due"
        return code, values

    def request(self, code, payload=b""):
        self.send(code, payload)
        return self.reply()[1]

    def system(self, code, *values):
        (value,) = self.request(code, sequence(values))
        return value

    def function(self, name):
        if name not in self.functions:
            address = self.system(GET_FUNCTION, name).address
            self.functions[name] = Handle(T_FUNCTION, address) if address else None
        return self.functions[name]

    @staticmethod
    def result(values):
        kind, value, *rest = values
        if isinstance(value, View):
            value.owner = rest[0].address if rest else None
        if isinstance(value, Pointer) and kind >= 64:
            return Handle(kind, value.address)
        return value

    def invoke(self, handle, *values):
        return self.result(self.request(CALL, struct.pack("<Q", handle.handle) + sequence(values)))

    def call(self, name, *values):
        function = self.function(name)
        if function is None:
            raise KeyError(name)
        return self.invoke(function, *values)

    def member(self, module, name):
        return self.call("tvm.rpc.server.ModuleGetFunction", module, name, True)

    def load(self, path, name="library.so"):
        with open(path, "rb") as file:
            self.call("tvm.rpc.server.upload", name, file.read())
        return self.call("tvm.rpc.server.load_module", name)

    def allocate(self, shape, dtype=FLOAT32):
        return View(self.system(ALLOCATE, View(0, shape, dtype), None).address, shape, dtype)

    def copy_to(self, view, data):
        return self.request(COPY_TO, view.wire() + struct.pack("<Q", len(data)) + data)

    def copy_from(self, view, size):
        return self.request(COPY_FROM, view.wire() + struct.pack("<Q", size))

    def close(self):
        try:
            self.send(SHUTDOWN)
        finally:
            self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.close()
        except OSError:
            pass
