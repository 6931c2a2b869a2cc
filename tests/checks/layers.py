# SPDX-License-Identifier: Apache-2.0
"""Holds every #include against the table of layers."""

import functools
import pathlib
import re

import layers_table as table
import sources


def _module_of(path, modules):
    """The module whose folder holds `path`; the deepest one when folders nest."""
    fitting = [module for module in modules if path.startswith(module + "/")]
    return max(fitting, key=len, default=None)


@functools.lru_cache(maxsize=None)
def visible_modules(module):
    """Modules whose headers `module` may include, itself among them."""
    seen, waiting = {module}, list(table.LAYERS[module])
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += [] if name in table.SEALED else table.LAYERS[name]
    return seen


def _external(name):
    return next((label for label, pattern, _ in table.EXTERNALS if re.match(pattern, name)), None)


def _under(path, folders):
    return any(path.startswith(folder + "/") for folder in folders)


class _Graph:
    """The includes of all C++ files below the root."""

    def __init__(self, root):
        self.files = {}
        for path in sources.cpp_files(root):
            self.files[path.as_posix()] = sources.includes(sources.read_text(root, path) or "")
        self._reach = {}

    def resolve(self, path, name):
        """The project file that the include means, or None: from the root, or beside the including file."""
        beside = (pathlib.PurePosixPath(path).parent / name).as_posix()
        return next((file for file in (name, beside) if file in self.files), None)

    def reach(self, path, stack=()):
        """{name of external: chain of files to it} of `path` through our headers; ValueError for a cycle."""
        if path in stack:
            raise ValueError(" -> ".join(stack[stack.index(path):] + (path,)))
        if path not in self._reach:
            found = {}
            for _, name, _ in self.files[path]:
                label, target = _external(name), self.resolve(path, name)
                if label:
                    found.setdefault(label, (path, f"<{name}>"))
                elif target:
                    for label, chain in self.reach(target, stack + (path,)).items():
                        found.setdefault(label, (path,) + chain)
            self._reach[path] = found
        return self._reach[path]


def _check_include(graph, path, number, name, quoted):
    where = f"{path}:{number}"
    label = _external(name)
    if label:
        folders = next(allowed for known, _, allowed in table.EXTERNALS if known == label)
        if not _under(path, folders):
            return f"{where}: {label}'s <{name}> may be included only in {', '.join(folders)}"
        return None
    target = graph.resolve(path, name)
    if target is None:
        if re.match(r"(engine|ui|app|tests)/", name):
            return f"{where}: {name} is not in the project"
        if quoted and not name.endswith(".moc") and name != "opscope/version.h":
            return f"{where}: \"{name}\" is not in the project; write includes from the project's root, others in <>"
        return None
    if target != name and not path.startswith("tests/"):
        return f"{where}: write \"{target}\" from the project's root instead of \"{name}\""
    return _check_layer(where, path, target)


def _check_layer(where, path, target):
    if path.startswith("tests/"):
        if target.startswith("tests/"):
            return None
        tests = _module_of(path, table.TEST_LAYERS)
        allowed, module = set(table.TEST_LAYERS[tests]), tests
    else:
        module = _module_of(path, table.LAYERS)
        allowed = visible_modules(module)
    owner = _module_of(target, table.LAYERS)
    if owner in allowed:
        return None
    return (f"{where}: {module} may not include {target} ({owner or 'tests'}); "
            f"allowed: {', '.join(sorted(allowed)) or 'nothing'}")


def _check_reach(graph, path):
    try:
        reach = graph.reach(path)
    except ValueError as cycle:
        return [f"{path}: headers include each other in a circle: {cycle}"]
    problems = []
    for label, folders in table.UNREACHABLE.items():
        if label in reach and _under(path, folders):
            problems.append(f"{path}: reaches {label}, which {_fold(path, folders)} must not see: "
                            f"{' -> '.join(reach[label])}")
    if "Qt" in reach and "tvm-ffi" in reach:
        problems.append(f"{path}: brings Qt and tvm-ffi together: {' -> '.join(reach['Qt'])} and "
                        f"{' -> '.join(reach['tvm-ffi'])}")
    return problems


def _fold(path, folders):
    return next(folder for folder in folders if path.startswith(folder + "/"))


def check(root):
    """Problems as lines of text; none when all is well."""
    graph = _Graph(root)
    problems = []
    for path, found in graph.files.items():
        if not path.startswith("tests/") and _module_of(path, table.LAYERS) is None:
            problems.append(f"{path}: stands in no module of the table in tests/checks/layers_table.py")
            continue
        for number, name, quoted in found:
            if (path, name) in table.EXCEPTIONS:
                continue
            problem = _check_include(graph, path, number, name, quoted)
            problems += [problem] if problem else []
        problems += _check_reach(graph, path)
    return problems
