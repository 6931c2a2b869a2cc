#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TVM's side of rpc_compare.py: the same commands as rpc_worker.cpp, but the raw ones."""
import sys
import time

import numpy
import tvm
from tvm import rpc

session, empty = None, None


def timed(work):
    begin = time.perf_counter_ns()
    work()
    return time.perf_counter_ns() - begin


def connect(port):
    global session, empty
    begin = time.perf_counter_ns()
    session = rpc.connect("127.0.0.1", int(port))
    took = time.perf_counter_ns() - begin
    empty = session.get_function("ffi.FunctionListGlobalNamesFunctor")()
    return took


def call(count):
    def many():
        for _ in range(int(count)):
            empty(-1)
    return timed(many)


def tensors(mib):
    content = numpy.full(int(mib) << 18, 7, dtype="float32")
    return content, tvm.runtime.empty(content.shape, "float32", session.cpu(0))


def to(mib):
    content, remote = tensors(mib)
    return timed(lambda: remote.copyfrom(content))


def from_(mib):
    content, remote = tensors(mib)
    remote.copyfrom(content)
    return timed(remote.numpy)


def upload(mib):
    content = bytearray(int(mib) << 20)
    return timed(lambda: session.upload(content, "bench.bin"))


def close():
    global session, empty
    session = empty = None
    return 0


COMMANDS = {"connect": connect, "call": call, "to": to, "from": from_, "upload": upload, "close": close}
for line in sys.stdin:
    name, *words = line.split()
    print(COMMANDS[name](*words), flush=True)
