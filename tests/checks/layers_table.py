# SPDX-License-Identifier: Apache-2.0
"""The table of layers, as data: ARCHITECTURE.md shows the same for reading. Folders are modules."""

# What each module may include besides itself. What a named module may include comes along, except for SEALED ones.
LAYERS = {
    "engine/base": [],
    "engine/report": ["engine/base"],
    "engine/runtime": ["engine/base"],
    "engine/arrays": ["engine/base"],
    "engine/code": ["engine/base"],
    "engine/store": ["engine/report"],
    "engine/vm": ["engine/runtime"],
    "engine/rpc": ["engine/runtime"],
    "engine/profile": ["engine/vm", "engine/runtime", "engine/report", "engine/code"],
    "engine/session": [
        "engine/base", "engine/report", "engine/runtime", "engine/arrays", "engine/code", "engine/store",
        "engine/vm", "engine/rpc", "engine/profile",
    ],
    "engine/probe": ["engine/base"],
    "ui/bridge": ["engine/session", "engine/report", "engine/store", "engine/base"],
    "ui/models": ["ui/bridge", "engine/report", "engine/base"],
    "ui/views": ["ui/models", "engine/report", "engine/base"],
    "ui/shell": ["ui/views", "engine/report", "engine/base"],
    "app/workbench": ["ui/shell", "engine/session"],
    "app/cli": ["engine/session", "engine/report", "engine/store", "engine/rpc"],
    "app/server": ["engine/rpc", "engine/profile"],
}

# Whoever sees a sealed module sees its headers, not what stands below it.
SEALED = {"engine/session"}

# Tests may include what they test and all below it: engine tests the whole engine, tests of ui the window too.
_ENGINE = [module for module in LAYERS if module.startswith("engine/")]
TEST_LAYERS = {
    "tests/ui": [module for module in LAYERS if module.startswith(("ui/", "engine/"))] + ["app/workbench"],
    "tests": _ENGINE + ["app/cli"],
}

# Headers of others that belong to certain folders: (name, pattern of the include, folders that may).
EXTERNALS = [
    ("Qt", r"^(Q[A-Z]\w*(/.*)?|Qt[A-Z]\w*/.*|q[a-z]+\.h)$", ["ui", "app/workbench", "tests/ui"]),
    ("QCustomPlot", r"^(qcustomplot\.h|QCustomPlot/.*)$", ["ui/views", "tests/ui"]),
    ("tvm-ffi", r"^(tvm|dlpack)/.*$",
     ["engine/runtime", "engine/vm", "engine/rpc", "engine/profile", "engine/session", "engine/probe", "tests"]),
    ("libzip", r"^zip\.h$", ["engine/arrays", "tests/arrays"]),
    ("zlib", r"^zlib\.h$", ["engine/runtime", "engine/arrays"]),
    ("SQLite", r"^sqlite3\.h$", ["engine/store", "tests/store"]),
    ("capstone", r"^capstone/.*$", ["engine/code", "tests/code"]),
    ("spdlog", r"^spdlog/.*$", ["engine/base"]),
    ("CLI11", r"^CLI/.*$", ["app"]),
]

# Where headers of Qt and of tvm-ffi must not even be reached through our own headers.
UNREACHABLE = {
    "Qt": ["engine", "app/cli", "app/server"],
    "tvm-ffi": ["engine/base", "engine/report", "engine/arrays", "engine/code", "engine/store", "ui", "app/workbench",
                "app/cli"],
}

# (file, include) pairs that are let through. Empty, and to stay so.
EXCEPTIONS = []
