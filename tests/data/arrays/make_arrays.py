# SPDX-License-Identifier: Apache-2.0
"""Writes the fixtures of this folder with numpy (and ml_dtypes): python make_arrays.py

expected.txt tells for every readable array: file, key (- for .npy), type, shape ("2x3", "scalar"), and the bytes
in C order, little endian, as hexadecimal (- when there are none).
"""
import io
import pathlib
import zipfile

import ml_dtypes
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
LINES = []


def expect(file, key, array):
    little = np.ascontiguousarray(array)
    if little.dtype.byteorder == ">":
        little = little.astype(little.dtype.newbyteorder("<"))
    shape = "x".join(map(str, array.shape)) or "scalar"
    LINES.append(f"{file} {key} {little.dtype.name} {shape} {little.tobytes().hex() or '-'}")


def save(name, array, version=(1, 0), readable=True):
    with open(HERE / name, "wb") as f:
        np.lib.format.write_array(f, array, version=version)
    if readable:
        expect(name, "-", array)


def zipped(name, arrays, method):
    with zipfile.ZipFile(HERE / name, "w", method) as z:
        for key, array in arrays.items():
            data = io.BytesIO()
            np.save(data, array)
            z.writestr(zipfile.ZipInfo(key + ".npy", (1980, 1, 1, 0, 0, 0)), data.getvalue(), method)


def main():
    values = np.arange(24).reshape(2, 3, 4)
    for t in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
              "float64"):
        sign = 1 if t[0] in "bu" else -1
        save(f"{t}.npy", (values * sign * (1 if t == "bool" else 3)).astype(t))
    save("bfloat16.npy", (values / 4).astype(ml_dtypes.bfloat16))
    save("version2.npy", values.astype("float32"), (2, 0))
    save("version3.npy", values.astype("float32"), (3, 0))
    for t in ("int16", "int32", "float64"):
        save(f"fortran_{t}.npy", np.asfortranarray((values * 7).astype(t)))
    save("fortran_int8.npy", np.asfortranarray((values * 5).astype("int8")))
    for t in (">i2", ">f4", ">u8", ">f2"):
        save(f"big_{t[1:]}.npy", (values * 9).astype(t))
    save("big_fortran.npy", np.asfortranarray(values.astype(">i4")))
    save("scalar.npy", np.array(2.5))
    save("empty.npy", np.zeros((0, 4), "float32"))
    save("one.npy", np.array([7], "int64"))
    refused = {"complex64": np.ones(2, "complex64"), "structured": np.zeros(2, [("a", "<i4"), ("b", "<f4")]),
               "text": np.array(["ab"]), "times": np.zeros(2, "M8[s]"), "longdouble": np.ones(2, "longdouble"),
               "float8": np.ones(2, ml_dtypes.float8_e4m3fn), "objects": np.array([None, 3], dtype=object)}
    for name, array in refused.items():
        save(f"refused_{name}.npy", array, readable=False)
    arrays = {"x": values.astype("float32"), "in/0": values[0].astype("int64"), "a:b/c.npz:d": np.array([True, False]),
              "scalar": np.array(1.5, "float32"), "zeros": np.zeros((40, 50), "float32"), "ö": np.array([1], "uint8")}
    for file, method in (("stored.npz", zipfile.ZIP_STORED), ("deflated.npz", zipfile.ZIP_DEFLATED)):
        zipped(file, arrays, method)
        for key, array in arrays.items():
            expect(file, key, array)
    zipped("bzip2.npz", {"x": np.zeros(3)}, zipfile.ZIP_BZIP2)
    (HERE / "expected.txt").write_text("\n".join(LINES) + "\n")


main()
