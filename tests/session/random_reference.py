# SPDX-License-Identifier: Apache-2.0
"""Writes tests/data/session/random.txt: the random inputs worked out a second time, in Python.

A line: type, seed, position, LO, HI (- - for none), count, the bytes as hexadecimal. First the algorithms are held
against published values: splitmix64 from 1234567, xoshiro256** from the state 1, 2, 3, 4.
"""
import pathlib
import struct

MASK = (1 << 64) - 1
HERE = pathlib.Path(__file__).resolve().parent
BITS = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}
SIZES = {"bool": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "int64": 8, "uint64": 8}


def splitmix64(state):
    while True:
        state = state + 0x9E3779B97F4A7C15 & MASK
        z = state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
        yield z ^ z >> 31


def rotl(x, k):
    return (x << k | x >> 64 - k) & MASK


def xoshiro(s):
    s = list(s)
    while True:
        yield rotl(s[1] * 5 & MASK, 7) * 9 & MASK
        t = s[1] << 17 & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotl(s[3], 45)


def stream(seed):
    words = splitmix64(seed & MASK)
    return xoshiro([next(words) for _ in range(4)])


def below(numbers, count):
    """Lemire: throw away the products that would make some results likelier than others."""
    if count == 1 << 64:
        return next(numbers)
    thrown = (1 << 64) % count
    while True:
        product = next(numbers) * count
        if product & MASK >= thrown:
            return product >> 64


def pack_float(kind, value):
    if kind == "bfloat16":
        bits = struct.unpack("<I", struct.pack("<f", value))[0]
        return struct.pack("<H", bits + 0x7FFF + (bits >> 16 & 1) >> 16)
    return struct.pack({"float64": "<d", "float32": "<f", "float16": "<e"}[kind], value)


def value_of(kind, packed):
    if kind == "bfloat16":
        return struct.unpack("<f", b"\0\0" + packed)[0]
    return struct.unpack({"float64": "<d", "float32": "<f", "float16": "<e"}[kind], packed)[0]


def values(kind, seed, position, low, high, count):
    numbers = stream(seed + position)
    for _ in range(count):
        if kind in BITS:
            lo, hi = (0.0, 1.0) if low is None else (float(low), float(high))
            packed = pack_float(kind, lo + (next(numbers) >> 64 - BITS[kind]) * 2.0 ** -BITS[kind] * (hi - lo))
            yield packed if lo == hi or value_of(kind, packed) < hi else pack_float(kind, lo)
        else:
            lo, hi = (0, 1) if low is None else (low, high)
            yield (lo + below(numbers, hi - lo + 1)).to_bytes(SIZES[kind], "little", signed=lo < 0)


def main():
    words = splitmix64(1234567)
    assert [next(words) for _ in range(3)] == [6457827717110365317, 3203168211198807973, 9817491932198370423]
    numbers = xoshiro([1, 2, 3, 4])
    assert [next(numbers) for _ in range(4)] == [11520, 0, 1509978240, 1215971899390074240]
    cases = [(kind, 0, 0, None, None) for kind in [*BITS, *SIZES]]
    cases += [(kind, 7, 3, -2, 5) for kind in [*BITS, "int8", "int16", "int32", "int64"]]
    cases += [("float32", MASK, 2, 0.1, 0.7), ("float16", 1, 1, -1000, 65000), ("bfloat16", 1, 1, 3, 3),
              ("uint8", 5, 0, 10, 255), ("uint64", 5, 1, 0, MASK), ("int64", 5, 2, -(1 << 63), (1 << 63) - 1),
              ("uint64", 9, 0, 3, (1 << 63) + 3), ("int64", 2, 0, 0, 31999), ("bool", 4, 4, 1, 1)]
    lines = []
    for kind, seed, position, low, high in cases:
        data = b"".join(values(kind, seed, position, low, high, 24)).hex()
        ends = "- -" if low is None else f"{low} {high}"
        lines.append(f"{kind} {seed} {position} {ends} 24 {data}")
    (HERE.parent / "data/session/random.txt").write_text("\n".join(lines) + "\n")


main()
