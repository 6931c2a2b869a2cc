# SPDX-License-Identifier: Apache-2.0
"""Builds basic_pitch.so, the sample, from packages on PyPI, and checks it against ONNX Runtime.

    python3 -m venv build/sample && build/sample/bin/pip install -r resources/samples/requirements.txt
    build/sample/bin/python resources/samples/build_sample.py [OUT.so] [--outputs OUT.npz]
"""

import argparse
import hashlib
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import numpy as np
import onnx
import onnxruntime
import onnxslim
import tvm
from tvm import relax, tirx
from tvm.relax.frontend.onnx import from_onnx

PACKAGE = "basic-pitch==0.4.0"
WHEEL_SHA256 = "738adb503aae7fdfc7d1e1511aa0ce35052315f260a19531ef4c356708425db0"
MEMBER = "basic_pitch/saved_models/icassp_2022/nmp.onnx"
INPUT = "serving_default_input_2:0"
SAMPLES = 43844  # of audio at 22050 Hz, about two seconds: what the model wants


def fetch_model():
    """The ONNX model out of the package's wheel, which must be the known one."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:",
                        "-d", folder, PACKAGE], check=True)
        wheel = next(pathlib.Path(folder).glob("*.whl"))
        if hashlib.sha256(wheel.read_bytes()).hexdigest() != WHEEL_SHA256:
            sys.exit(f"{wheel.name} is not the file that this script was written for")
        with zipfile.ZipFile(wheel) as archive:
            return onnx.load_from_string(archive.read(MEMBER))


def schedule(function):
    """Spreads the outer loops of each block over threads and puts a loop that LLVM can vectorise innermost."""
    plan = tvm.s_tir.Schedule(tvm.IRModule({"main": function}))
    for block in plan.get_child_blocks(plan.get_sblock("root")):
        loops = plan.get_loops(block)
        kinds = [variable.iter_type for variable in plan.get(block).iter_vars]
        if len(loops) != len(kinds) or len(loops) < 2 or set(kinds) - {tirx.IterVar.DataPar, tirx.IterVar.CommReduce}:
            continue
        spatial = [loop for loop, kind in zip(loops, kinds) if kind == tirx.IterVar.DataPar]
        reduction = [loop for loop, kind in zip(loops, kinds) if kind == tirx.IterVar.CommReduce]
        # The last loop that is long enough for vectors; the rest become one parallel loop.
        inner = next((loop for loop in reversed(spatial) if int(plan.get(loop).extent) >= 8), None)
        outer = [loop for loop in spatial if loop is not inner]
        if inner is None or not outer:
            continue
        plan.reorder(*outer, *reduction, inner)
        plan.parallel(plan.fuse(*outer))
        if reduction:
            plan.decompose_reduction(block, reduction[0])
    return plan.mod["main"]


def compile_model(model, path):
    slim = onnxslim.slim(model, input_shapes=[f"{INPUT}:1,{SAMPLES},1"])
    target = tvm.target.Target({"kind": "llvm"})  # no mcpu: runs on any x86-64
    with target:
        module = relax.get_pipeline("zero")(from_onnx(slim))
        for variable, function in module.functions_items():
            if isinstance(function, tirx.PrimFunc):
                module[variable] = schedule(function).with_attrs(dict(function.attrs))
    relax.build(module, target=target).export_library(str(path))


def chord():
    """A note of 262 Hz, joined by one of 330 Hz after a second."""
    seconds = np.arange(SAMPLES) / 22050.0
    wave = 0.4 * np.sin(2 * np.pi * 261.63 * seconds) + 0.3 * np.sin(2 * np.pi * 329.63 * seconds) * (seconds > 1)
    return wave.astype("float32").reshape(1, SAMPLES, 1)


def outputs_of(path, audio):
    machine = relax.VirtualMachine(tvm.runtime.load_module(str(path)), tvm.cpu())
    return [tensor.numpy() for tensor in machine["main"](tvm.runtime.tensor(audio))]


def main():
    parser = argparse.ArgumentParser(description="Builds the sample executable.")
    parser.add_argument("out", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).with_name("basic_pitch.so"))
    parser.add_argument("--outputs", type=pathlib.Path, help="also save what the sample computes for a test sound")
    arguments = parser.parse_args()

    model, audio = fetch_model(), chord()
    compile_model(model, arguments.out)
    got = outputs_of(arguments.out, audio)
    reference = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    for index, (ours, expected) in enumerate(zip(got, reference.run(None, {INPUT: audio}), strict=True)):
        np.testing.assert_allclose(ours, expected, rtol=5e-3, atol=2e-3, err_msg=f"output {index}")
    if arguments.outputs:
        np.savez_compressed(arguments.outputs, audio, *got)
    print(f"{arguments.out}: {arguments.out.stat().st_size} bytes, outputs agree with ONNX Runtime")


if __name__ == "__main__":
    main()
