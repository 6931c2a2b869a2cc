# SPDX-License-Identifier: Apache-2.0
"""numpy's side of arrays_peer_test.

peer_check.py write FOLDER   writes arrays of many shapes and types, each as .npy, in npz files and as raw bytes
peer_check.py check FOLDER   loads what the test wrote from them and compares
"""
import pathlib
import sys

import numpy as np

TYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
         "float64")
SHAPES = ((), (1,), (0,), (7,), (3, 4), (2, 0, 5), (5, 1, 3), (2, 3, 4, 5), (1,) * 9)


def arrays():
    random = np.random.default_rng(7)
    for t in TYPES:
        for shape in SHAPES:
            raw = random.integers(0, 256, size=int(np.prod(shape)) * np.dtype(t).itemsize, dtype="uint8")
            array = (raw & 1).astype(bool) if t == "bool" else np.frombuffer(raw.tobytes(), t)
            for order in "CF":
                for endian in "<>":
                    yield np.array(array.reshape(shape).astype(np.dtype(t).newbyteorder(endian)), order=order)


def write(folder):
    everything = {}
    for i, array in enumerate(arrays()):
        np.save(folder / f"{i}.npy", array)
        plain = np.ascontiguousarray(array).reshape(array.shape)
        (folder / f"{i}.raw").write_bytes(plain.astype(plain.dtype.newbyteorder("<")).tobytes())
        everything[f"set/{i}"] = array
    np.savez(folder / "stored.npz", **everything)
    np.savez_compressed(folder / "deflated.npz", **everything)


def same(left, right):
    left = left.astype(left.dtype.newbyteorder("="))
    return left.dtype == right.dtype and left.shape == right.shape and left.tobytes() == right.tobytes()


def check(folder):
    files = [np.load(folder / name) for name in ("ours_stored.npz", "ours_deflated.npz")]
    count = 0
    for i, array in enumerate(arrays()):
        assert same(array, np.load(folder / f"ours_{i}.npy")), f"ours_{i}.npy differs"
        for npz in files:
            assert same(array, npz[f"set/{i}"]), f"set/{i} differs"
        count += 1
    assert all(len(npz.files) == count for npz in files)
    print(count)


{"write": write, "check": check}[sys.argv[1]](pathlib.Path(sys.argv[2]))
