"""State has names: what numbered floats, tables of addresses and lists of files were made of must not come back."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("station", "firmware_bridge", "sim_devices", "calibration")
PARTS = (
    "station/mechanism",
    "station/collision",
    "station/haptics",
    "station/bilateral",
    "station/servo",
    "station/devices/velocity",
    "station/devices/mapping",
    "station/devices/syntaxer",
    "station/devices/falcon",
    "station/controllers/supervisor",
    "station/controllers/shaping",
    "station/controllers/plausibility",
)
GONE = {"cache", "layout", "at", "packing", "inputs", "wiring", "fields"}  # modules that parts had for numbered state


def modules(*places: str) -> Iterator[tuple[Path, ast.Module]]:
    for place in places:
        for file in sorted((ROOT / place).rglob("*.py")):
            yield file.relative_to(ROOT), ast.parse(file.read_text(encoding="utf8"))


def compiled(module: ast.Module) -> Iterator[ast.FunctionDef]:
    """Functions that are kernels."""
    for one in ast.walk(module):
        if isinstance(one, ast.FunctionDef):
            words = {ast.unparse(mark).partition("(")[0] for mark in one.decorator_list}
            if words & {"kernel", "entry"}:
                yield one


def numbered(function: ast.FunctionDef) -> Iterator[str]:
    """Places in a kernel where a constant with a name is an index, or a real number stands for a truth."""
    for one in ast.walk(function):
        if isinstance(one, ast.Subscript):
            index = one.slice.elts[0] if isinstance(one.slice, ast.Tuple) and one.slice.elts else one.slice
            first = index.left if isinstance(index, ast.BinOp) else index
            if isinstance(first, ast.Name) and first.id.isupper() and len(first.id) > 1:
                yield ast.unparse(one)
        if isinstance(one, ast.Compare) and isinstance(one.ops[0], ast.Eq | ast.NotEq):
            other = one.comparators[0]
            truth = isinstance(other, ast.Constant) and isinstance(other.value, float) and other.value == 1.0
            if truth and isinstance(one.left, ast.Attribute):
                yield ast.unparse(one)


def test_no_part_keeps_numbered_state() -> None:
    found = [str(file) for file, _ in modules(*PARTS) if file.stem in GONE or "kernels" in file.parts]
    assert not found


def test_kernels_reach_state_by_name() -> None:
    found = [
        f"{file}:{function.lineno} {function.name}: {place}"
        for file, module in modules(*PARTS)
        for function in compiled(module)
        for place in numbered(function)
    ]
    assert not found, "\n".join(found)


def test_the_compiler_is_loaded_by_the_kernel_layer_alone() -> None:
    found = []
    for file, module in modules(*PACKAGES):
        for one in ast.walk(module):
            names = [alias.name for alias in one.names] if isinstance(one, ast.Import) else []
            names += [one.module or ""] if isinstance(one, ast.ImportFrom) else []
            if any(name.partition(".")[0] in ("numba", "llvmlite") for name in names):
                found.append(str(file))
    assert {Path(file).parent.as_posix() for file in found} == {"station/kernel"}


def decorators(function: ast.FunctionDef) -> set[str]:
    """Names of what a function is decorated with."""
    called = (one.func if isinstance(one, ast.Call) else one for one in function.decorator_list)
    return {one.id for one in called if isinstance(one, ast.Name)}


def test_what_python_calls_is_an_entry_and_so_compiled_ahead() -> None:
    trees = dict(modules("station", "firmware_bridge", "sim_devices", "calibration"))
    inner = {
        (".".join(file.with_suffix("").parts), node.name)
        for file, tree in trees.items()
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and decorators(node) == {"kernel"}
    }
    assert len(inner) > 100
    found = []
    for file, tree in trees.items():
        own = ".".join(file.with_suffix("").parts)
        known = {name: (module, name) for module, name in inner if module == own}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                known |= {one.asname or one.name: (str(node.module), one.name) for one in node.names}
        compiled = {
            inside
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef) and decorators(node) & {"kernel", "entry"}
            for inside in ast.walk(node)
        }
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and node not in compiled]
        found += [
            f"{file}:{call.lineno}: {call.func.id}"
            for call in calls
            if isinstance(call.func, ast.Name) and known.get(call.func.id) in inner
        ]
    assert not found
