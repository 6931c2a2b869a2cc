#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A client of TVM's RPC over plain sockets: nothing but the standard library, neither TVM nor tvm_ffi nor anything of ours.

  raw_client.py client  HOST PORT --so FILE [--trace]        a whole session, step by step
  raw_client.py tracker HOST PORT KEY --so FILE              asks a tracker for a board, then the same

Each step is a line, PASS or FAIL first. FILE is an executable of a perceptron, 784 to 256 to 10.
"""
import json, math, os, random, socket, struct, sys, time

MAGIC = 0xFF271
TRACKER_MAGIC = 0x2F271

# frame codes
(C_NONE, C_SHUTDOWN, C_INIT, C_CALL, C_RETURN, C_EXC, C_FROM, C_TO, C_ACK,
 S_GETFUNC, S_FREE, S_SETDEV, S_ATTR, S_ALLOC, S_FREEDATA, S_SYNC, S_COPY, S_ALLOCSCOPE,
 S_MKSTREAM, S_RMSTREAM, S_SETSTREAM, S_GETSTREAM) = range(22)

# value tags, FFI generation (TVM >= 0.21)
(T_NONE, T_INT, T_BOOL, T_FLOAT, T_PTR, T_DTYPE, T_DEV, T_DLT, T_CSTR, T_BYTEARR, T_RVREF,
 T_SSTR, T_SBYTES) = range(13)
T_STR, T_BYTES, T_ERR, T_FUNC = 65, 66, 67, 68
T_SHAPE, T_TENSOR, T_ARRAY, T_MAP, T_MODULE = 69, 70, 71, 72, 73   # 0.22+; 0.21: shape 71, ndarray 72
T_RPCREF = 115


class Closed(Exception):
    pass


class RemoteError(Exception):
    pass


class Ptr(int):
    pass


class Ref:
    """remote handle; kind = tag reported by the server"""
    def __init__(self, kind, handle):
        self.kind, self.handle = kind, handle

    def __repr__(self):
        return f"Ref(kind={self.kind}, 0x{self.handle:x})"


class DT(tuple):   # (code,bits,lanes)
    pass


class Dev(tuple):  # (type,id)
    pass


class RTensor:
    def __init__(self, data, dev, dtype, shape, off=0, owner=None):
        self.data, self.dev, self.dtype, self.shape, self.off, self.owner = data, dev, dtype, tuple(shape), off, owner

    @property
    def nbytes(self):
        n = 1
        for s in self.shape:
            n *= s
        return n * ((self.dtype[1] * self.dtype[2] + 7) // 8)

    def wire(self):
        return (struct.pack("<Q", self.data) + struct.pack("<ii", *self.dev) +
                struct.pack("<i", len(self.shape)) + struct.pack("<BBH", *self.dtype) +
                struct.pack(f"<{len(self.shape)}q", *self.shape) + struct.pack("<Q", self.off))

    def __repr__(self):
        return f"RTensor({self.shape} {self.dtype} @0x{self.data:x} off={self.off} owner={self.owner})"


F32 = DT((2, 32, 1))
CPU = Dev((1, 0))


def enc(v):
    if v is None:
        return struct.pack("<i", T_NONE)
    if isinstance(v, bool):
        return struct.pack("<iq", T_BOOL, int(v))
    if isinstance(v, Ptr):
        return struct.pack("<iQ", T_PTR, v)
    if isinstance(v, int):
        return struct.pack("<iq", T_INT, v)
    if isinstance(v, float):
        return struct.pack("<id", T_FLOAT, v)
    if isinstance(v, str):
        b = v.encode()
        return struct.pack("<iQ", T_CSTR, len(b)) + b
    if isinstance(v, (bytes, bytearray)):
        return struct.pack("<iQ", T_BYTEARR, len(v)) + bytes(v)
    if isinstance(v, DT):
        return struct.pack("<iBBHi", T_DTYPE, *v, 0)
    if isinstance(v, Dev):
        return struct.pack("<iii", T_DEV, *v)
    if isinstance(v, RTensor):
        return struct.pack("<i", T_DLT) + v.wire()
    if isinstance(v, Ref):
        if v.kind in (T_FUNC, T_MODULE):
            return struct.pack("<iQ", v.kind, v.handle)
        return struct.pack("<iIQ", T_RPCREF, T_RPCREF, v.handle)
    if isinstance(v, tuple) and v[0] == "raw":
        return v[1]
    raise TypeError(type(v))


def encseq(args):
    return struct.pack("<i", len(args)) + b"".join(enc(a) for a in args)


class Rd:
    def __init__(self, b):
        self.b, self.p = b, 0

    def take(self, n):
        if self.p + n > len(self.b):
            raise ValueError("short packet")
        r = self.b[self.p:self.p + n]
        self.p += n
        return r

    def u(self, f):
        return struct.unpack("<" + f, self.take(struct.calcsize("<" + f)))

    def one(self):
        (t,) = self.u("i")
        if t == T_NONE:
            return t, None
        if t == T_INT:
            return t, self.u("q")[0]
        if t == T_BOOL:
            return t, bool(self.u("q")[0])
        if t == T_FLOAT:
            return t, self.u("d")[0]
        if t == T_PTR:
            return t, Ptr(self.u("Q")[0])
        if t == T_DTYPE:
            r = DT(self.u("BBH")); self.take(4)
            return t, r
        if t == T_DEV:
            return t, Dev(self.u("ii"))
        if t == T_DLT:
            data, dt, di, nd, c, bi, la = self.u("QiiiBBH")
            sh = self.u(f"{nd}q")
            (off,) = self.u("Q")
            return t, RTensor(data, Dev((dt, di)), DT((c, bi, la)), sh, off)
        if t == T_CSTR:
            (n,) = self.u("Q")
            return t, self.take(n).decode("utf-8", "surrogateescape")
        if t == T_BYTEARR:
            (n,) = self.u("Q")
            return t, bytes(self.take(n))
        if t in (T_FUNC, T_MODULE):
            return t, Ref(t, self.u("Q")[0])
        if t in (T_SSTR, T_SBYTES) or t >= 64:
            (k,) = self.u("I")
            if k == T_RPCREF:
                return t, Ref(k, self.u("Q")[0])
            (n,) = self.u("Q")
            d = bytes(self.take(n))
            return t, d.decode() if k == T_STR else d
        raise ValueError(f"tag {t}")

    def seq(self):
        (n,) = self.u("i")
        return [self.one() for _ in range(n)]


def recvn(s, n):
    buf = bytearray(n)
    mv = memoryview(buf)
    got = 0
    while got < n:
        k = s.recv_into(mv[got:], n - got)
        if k == 0:
            raise Closed(f"peer closed after {got}/{n} bytes")
        got += k
    return bytes(buf)


class Session:
    def __init__(self, host, port, key="", timeout_opt=None, ver="0.8.0", init_args=(), trace=False,
                 init=True, sock_timeout=30, nodelay=True):
        self.trace = trace
        self.s = socket.create_connection((host, port), timeout=sock_timeout)
        if nodelay:
            self.s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        k = ("client:" + key + (f" -timeout={timeout_opt}" if timeout_opt is not None else "")).encode()
        self.s.sendall(struct.pack("<ii", MAGIC, len(k)) + k)
        (code,) = struct.unpack("<i", recvn(self.s, 4))
        self.hs = code - MAGIC
        if code != MAGIC:
            raise RemoteError(f"handshake code magic{code - MAGIC:+d}")
        (n,) = struct.unpack("<i", recvn(self.s, 4))
        self.server_key = recvn(self.s, n).decode()
        self.dialect = None
        if init:
            body = struct.pack("<iQ", C_INIT, len(ver)) + ver.encode() + encseq(list(init_args))
            self.send(body)
            code, payload = self.recv()
            if code == C_EXC:
                raise RemoteError(payload)
            self.init_reply = payload
            self.dialect = "ffi" if payload[0][0] == T_NONE else f"legacy(tag {payload[0][0]})"
        self._fc = {}

    def send(self, body):
        if self.trace:
            print(f"   > len={len(body)} {body[:96].hex(' ', 4)}{'...' if len(body) > 96 else ''}")
        self.s.sendall(struct.pack("<Q", len(body)) + body)

    def recv_raw(self):
        (n,) = struct.unpack("<Q", recvn(self.s, 8))
        b = recvn(self.s, n)
        if self.trace:
            print(f"   < len={n} {b[:96].hex(' ', 4)}{'...' if n > 96 else ''}")
        return b

    def recv(self):
        b = self.recv_raw()
        (code,) = struct.unpack("<i", b[:4])
        if code == C_ACK:
            return code, b[4:]
        vals = Rd(b[4:]).seq() if len(b) > 4 else []
        if code == C_EXC:
            return code, vals[0][1]
        return code, vals

    def syscall(self, code, *args):
        self.send(struct.pack("<i", code) + encseq(list(args)))
        c, p = self.recv()
        if c == C_EXC:
            raise RemoteError(p)
        assert c == C_RETURN and len(p) == 1, (c, p)
        return p[0][1]

    def getfunc(self, name):
        h = self.syscall(S_GETFUNC, name)
        return None if h is None or h == 0 else Ref(T_FUNC, h)

    def call_raw(self, fn, *args):
        self.send(struct.pack("<iQ", C_CALL, fn.handle) + encseq(list(args)))
        c, p = self.recv()
        if c == C_EXC:
            raise RemoteError(p)
        assert c == C_RETURN, c
        return p

    def call(self, fn, *args):
        p = self.call_raw(fn, *args)
        tcode = p[0][1]
        v = p[1][1]
        if isinstance(v, RTensor):
            v.owner = p[2][1]
            return v
        if isinstance(v, Ptr) and tcode >= 64:
            return Ref(tcode, int(v))
        return v

    def g(self, name, *args):
        if name not in self._fc:
            f = self.getfunc(name)
            if f is None:
                raise RemoteError("no such remote function " + name)
            self._fc[name] = f
        return self.call(self._fc[name], *args)

    def modfunc(self, mod, name):
        r = self.g("tvm.rpc.server.ModuleGetFunction", mod, name, True)
        return r

    def free(self, h):
        return self.syscall(S_FREE, Ptr(h.handle if isinstance(h, Ref) else h))

    def alloc(self, shape, dtype=F32, dev=CPU, scope=None):
        t = RTensor(0, dev, dtype, shape)
        t.data = int(self.syscall(S_ALLOCSCOPE, t, scope))
        return t

    def alloc_bytes(self, nbytes, align=64, dtype=F32, dev=CPU):
        return self.syscall(S_ALLOC, dev, nbytes, align, dtype)

    def freedata(self, t):
        return self.syscall(S_FREEDATA, t.dev, Ptr(t.data))

    def copy_to(self, t, data):
        head = struct.pack("<i", C_TO) + t.wire() + struct.pack("<Q", len(data))
        self.s.sendall(struct.pack("<Q", len(head) + len(data)) + head)
        self.s.sendall(data)
        c, p = self.recv()
        if c == C_EXC:
            raise RemoteError(p)
        return p

    def copy_from(self, t, n):
        self.send(struct.pack("<i", C_FROM) + t.wire() + struct.pack("<Q", n))
        c, p = self.recv()
        if c == C_EXC:
            raise RemoteError(p)
        assert c == C_ACK
        return p

    def shutdown(self):
        self.send(struct.pack("<i", C_SHUTDOWN))

    def close(self):
        self.s.close()


class Tracker:
    def __init__(self, host, port):
        self.s = socket.create_connection((host, port), timeout=20)
        self.s.sendall(struct.pack("<i", TRACKER_MAGIC))
        (m,) = struct.unpack("<i", recvn(self.s, 4))
        assert m == TRACKER_MAGIC, m

    def ask(self, *msg):
        b = json.dumps(list(msg)).encode()
        self.s.sendall(struct.pack("<i", len(b)) + b)
        return self.reply()

    def reply(self):
        (n,) = struct.unpack("<i", recvn(self.s, 4))
        return json.loads(recvn(self.s, n))


def floats(n, seed):
    r = random.Random(seed)
    return [r.random() - 0.5 for _ in range(n)]


def pack_f(v):
    return struct.pack(f"<{len(v)}f", *v)


def ok(name, cond=True, note=""):
    print(("PASS " if cond else "FAIL ") + name + (("  " + str(note)) if note != "" else ""))
    return cond


SHAPES = [(1, 784), (256, 784), (256,), (10, 256), (10,)]


def perceptron(x, w1, b1, w2, b2):
    h = [max(0.0, sum(w1[i * 784 + k] * x[k] for k in range(784)) + b1[i]) for i in range(256)]
    return [sum(w2[i * 256 + k] * h[k] for k in range(256)) + b2[i] for i in range(10)]


def walk_files(s, so):
    ok("handshake", True, f"server_key={s.server_key!r} dialect={s.dialect} init_reply={s.init_reply}")
    ok("workpath", True, s.g("tvm.rpc.server.workpath", "x"))
    blob = open(so, "rb").read()
    s.g("tvm.rpc.server.upload", "m.so", blob)
    back = s.g("tvm.rpc.server.download", "m.so")
    ok("upload/download round trip", back == blob, len(blob))
    m = s.g("tvm.rpc.server.load_module", "m.so")
    ok("load_module", isinstance(m, Ref) and m.kind == T_MODULE, m)
    miss = s.modfunc(m, "no_such_function")
    ok("missing module function -> None", miss is None, miss)
    return m


def walk_machine(s, m):
    vm = s.call(s.modfunc(m, "vm_load_executable"))
    ok("vm_load_executable", True, vm)
    s.call(s.modfunc(vm, "vm_initialization"), 1, 0, 2)
    arity = s.call(s.modfunc(vm, "get_function_arity"), "forward")
    ok("arity", arity == 5, arity)
    vals = [floats(math.prod(sh), i) for i, sh in enumerate(SHAPES)]
    ts = []
    for sh, v in zip(SHAPES, vals):
        t = s.alloc(sh)
        s.copy_to(t, pack_f(v))
        ts.append(t)
    o = perceptron(*vals)
    s.call(s.modfunc(vm, "set_input"), "forward", *ts)
    s.call(s.modfunc(vm, "invoke_stateful"), "forward")
    ok("get_output_arity", True, s.call(s.modfunc(vm, "get_output_arity"), "forward"))
    out = s.call(s.modfunc(vm, "get_output"), "forward")
    got = struct.unpack("<10f", s.copy_from(out, 40))
    err = max(abs(a - b) for a, b in zip(got, o))
    ok("VM result via set_input/invoke_stateful", err < 1e-3, f"max err {err:.2e} {out}")
    s.free(out.owner)
    try:  # with views of remote tensors
        r = s.call(s.modfunc(vm, "forward"), *ts)
        if isinstance(r, RTensor):
            got = struct.unpack("<10f", s.copy_from(r, 40))
            ok("VM direct call", max(abs(a - b) for a, b in zip(got, o)) < 1e-3, r)
            s.free(r.owner)
        else:
            ok("VM direct call", False, r)
    except RemoteError as e:  # as TVM's own servers answer
        ok("VM direct call", True, "exception: " + str(e).strip().splitlines()[-1][:160])
    return vm, ts


def walk_copies(s):
    t = s.alloc((16,))
    s.copy_to(t, pack_f([float(i) for i in range(16)]))
    t.off = 16
    ok("partial copy_from with byte_offset", struct.unpack("<4f", s.copy_from(t, 16)) == (4., 5., 6., 7.))
    s.copy_to(t, pack_f([-1., -2.]))
    t.off = 0
    ok("partial copy_to with byte_offset", struct.unpack("<16f", s.copy_from(t, 64))[3:7] == (3., -1., -2., 6.))
    u = s.alloc((16,))
    s.syscall(S_COPY, t, u, Ptr(0))
    ok("copy among remote", s.copy_from(u, 64) == s.copy_from(t, 64))
    s.freedata(t); s.freedata(u)


ATTRIBUTES = ["exist", "max_threads", "warp", "shmem", "version", "name", "clock", "mp", "dims", "regs", "gcn", "apiver",
              "driver", "l2", "totalmem", "availmem", "imgpitch"]


def walk_devices(s):
    at = {}
    for i, n in enumerate(ATTRIBUTES):
        try:
            at[n] = s.syscall(S_ATTR, CPU, i)
        except RemoteError as e:
            at[n] = "EXC " + str(e).strip().splitlines()[-1][:60]
    ok("attrs cpu", at["exist"] == 1, at)
    try:
        ok("attr exist cuda0", True, s.syscall(S_ATTR, Dev((2, 0)), 0))
    except RemoteError as e:
        ok("attr exist cuda0", False, str(e)[:100])
    s.syscall(S_SETDEV, CPU); s.syscall(S_SYNC, CPU, Ptr(0))
    st = s.syscall(S_MKSTREAM, CPU)
    ok("set device, sync, create stream", True, st)
    try:
        ok("get current stream", True, s.syscall(S_GETSTREAM, CPU))
    except RemoteError as e:
        ok("get current stream", False, str(e)[:100])


def walk(s, so):
    m = walk_files(s, so)
    vm, ts = walk_machine(s, m)
    walk_copies(s)
    walk_devices(s)
    try:
        s.g("tvm.rpc.server.load_module", "nofile.so")
        ok("exception text", False, "a file that is not there was loaded")
    except RemoteError as e:
        ok("exception text", True, repr(str(e)[:70]) + " ... " + repr(str(e)[-120:]))
    return m, vm, ts


def timing(s, m, vm, ts):
    # save_function + time evaluator on the VM closure
    s.call(s.modfunc(vm, "save_function"), "forward", "bench", 0, *ts)
    te = s.g("runtime.RPCTimeEvaluator", vm, "bench", 1, 0, 10, 3, 0, 100, 0, 1, 0, "")
    blob = s.call(te)
    ok("time evaluator on saved closure", len(blob) == 24, [f"{v*1e6:.1f}us" for v in struct.unpack("<3d", blob)])
    s.free(te)


if __name__ == "__main__":
    a = sys.argv
    so = a[a.index("--so") + 1] if "--so" in a else "mlp.so"
    if a[1] == "client":
        s = Session(a[2], int(a[3]), trace="--trace" in a)
        m, vm, ts = walk(s, so)
        timing(s, m, vm, ts)
        s.shutdown(); s.close()
    elif a[1] == "tracker":
        t = Tracker(a[2], int(a[3]))
        print("summary", t.ask(6))
        r = t.ask(4, a[4], "", 1)
        print("request", r)
        host, port, mk = r[1]
        print("summary while held", t.ask(6))
        s = Session(host, port, mk)
        m, vm, ts = walk(s, so)
        s.shutdown(); s.close()
        time.sleep(1.0)
        after = t.ask(6)
        ok("board back at the tracker", after[1]["queue_info"][a[4]]["free"] == 1, after)
