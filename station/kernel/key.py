"""What a kernel refers to, and the key that follows from it.

The key of compiled code is made of everything the code depends on: its own instructions and constants, and those of
every function, constant, enum and record that it refers to, however many files away; then Python's version and how this
package makes code. The processor and the version of the compiler are in the name of the folder instead, so that code of
a wheel is found by whoever can run it. Comments, docstrings and places in a file do not count. There is no list of
files to forget one in: what cannot be described is an error.
"""

from __future__ import annotations

import builtins
import enum
import functools
import hashlib
import opcode
import os
import platform
import sys
import types
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from station.kernel.record import Record, digest
from station.kernel.types import KernelTypeError

# Of Python's instructions; the number of an attribute has one more bit since Python 3.12.
LOAD_GLOBAL, EXTENDED_ARG, CACHE = (opcode.opmap[name] for name in ("LOAD_GLOBAL", "EXTENDED_ARG", "CACHE"))
LOAD_ATTRIBUTE = {opcode.opmap[name] for name in ("LOAD_ATTR", "LOAD_METHOD") if name in opcode.opmap}
ATTRIBUTE_SHIFT = 1 if sys.version_info >= (3, 12) else 0
LEVELS = ("x86-64-v3", "x86-64-v2")
BY_NAME = ("numpy", "math", "builtins", "operator", "typing", "cmath")  # known to the compiler by their names


def references(function: types.FunctionType) -> dict[str, Any]:
    """All that a function refers to directly, by name; of a module the attributes that it may use."""
    found: dict[str, Any] = {}
    for name, attribute in _names(function.__code__):
        if name in function.__globals__:
            value = function.__globals__[name]
            if isinstance(value, types.ModuleType) and attribute is not None:
                found[f"{name}.{attribute}"] = getattr(value, attribute)
            else:
                found[name] = value
        elif hasattr(builtins, name):
            found[name] = getattr(builtins, name)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        found[name] = cell.cell_contents
    for number, value in enumerate(function.__defaults__ or ()):
        found[f"default {number}"] = value
    return found


def kernels_in(function: types.FunctionType) -> Iterator[Any]:
    """Kernels that a function refers to directly."""
    for value in references(function).values():
        if hasattr(value, "is_kernel"):
            yield value


def key_of(kernel: Any) -> str:
    """Key of a kernel whatever it is called with: of its own code and of all that it refers to."""
    return _described_kernel(kernel, set())


def variant_key(kernel: Any, signature: Any) -> str:
    """Key of a kernel's machine code for one signature, whichever compiler makes it and for whichever processor."""
    texts = [key_of(kernel), str(signature), toolchain(), str(kernel.releases_gil)]
    texts += [record_text(one) for one in records_in(signature)]
    return digest("\n".join(texts))


def records_in(signature: Any) -> list[type[Record]]:
    """Records that a signature names, each once."""
    texts = [*signature.takes, signature.returns]
    return [record_named(text) for text in dict.fromkeys(texts) if "." in text and text[0] != "("]


@functools.cache
def record_named(name: str) -> type[Record]:
    """The record of that name; its module is loaded."""
    pending = [Record]
    while pending:
        one = pending.pop()
        if one.record_name == name:
            return one
        pending += one.__subclasses__()
    raise KernelTypeError(f"there is no record {name}")


@functools.cache
def toolchain() -> str:
    """Python, whose instructions are compiled and whose objects are taken, and how this package makes code."""
    own = hashlib.sha256()
    for file in ("compiler.py", "wrapper.py", "record.py", "types.py", "intrinsics.py"):
        own.update((Path(__file__).parent / file).read_bytes())
    return f"{sys.implementation.cache_tag} {own.hexdigest()[:16]}"


@functools.cache
def compiler() -> str:
    """The compiler, by its version: not part of keys, as code that is there is as good by any, but of the place."""
    return "-".join(f"{name}-{metadata.version(name)}" for name in ("numba", "llvmlite"))


@functools.cache
def baseline() -> str:
    """The processor that code is made for: the newest common level that this machine has, or STATION_CPU."""
    machine, named = platform.machine(), os.environ.get("STATION_CPU")
    known = LEVELS if machine == "x86_64" else (machine,)
    if named:
        if named not in known:
            raise SystemExit(f"STATION_CPU is {named}; allowed here: {', '.join(known)}")
        return named
    if machine != "x86_64":
        return machine
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return "x86-64-v2"
    flags = set(text.partition("flags")[2].partition("\n")[0].split())
    return "x86-64-v3" if {"avx2", "bmi2", "fma", "f16c", "movbe"} <= flags else "x86-64-v2"


def levels(newest: str) -> tuple[str, ...]:
    """Processors whose code runs on that one, the best first."""
    return LEVELS[LEVELS.index(newest) :] if newest in LEVELS else (newest,)


@functools.cache
def _names(code: types.CodeType) -> set[tuple[str, str | None]]:
    """Names that a function loads from its module, each with the attribute that it loads of that at once, if any."""
    found = set[tuple[str, str | None]]()
    name, high, instructions = None, 0, code.co_code
    for place in range(0, len(instructions), 2):
        kind, number = instructions[place], instructions[place + 1] | high
        if kind == CACHE:
            continue
        high = number << 8 if kind == EXTENDED_ARG else 0
        if name is not None and kind != EXTENDED_ARG:
            found.add((name, code.co_names[number >> ATTRIBUTE_SHIFT] if kind in LOAD_ATTRIBUTE else None))
            name = None
        if kind == LOAD_GLOBAL:
            name = code.co_names[number >> 1]
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= _names(constant)
    return found


def _described_function(function: types.FunctionType, seen: set[Any]) -> list[str]:
    lines = [function.__qualname__, _code_text(function.__code__, function.__doc__)]
    lines += [f"{name} = {_described(value, seen)}" for name, value in sorted(references(function).items())]
    return lines


def _code_text(code: types.CodeType, doc: str | None = None) -> str:
    """Instructions and constants, without docstring, names of files and numbers of lines."""
    constants = []
    for number, constant in enumerate(code.co_consts):
        if isinstance(constant, types.CodeType):
            constants.append(_code_text(constant))
        elif number == 0 and doc is not None and constant == doc:
            constants.append("doc")
        else:
            constants.append(repr(constant))
    parts = (code.co_code.hex(), code.co_exceptiontable.hex(), code.co_names, code.co_varnames, code.co_freevars)
    return f"{code.co_argcount} {code.co_flags} {parts} {constants}"


def _described(value: Any, seen: set[Any]) -> str:
    """Text that changes whenever compiled code would; `seen` are functions under way."""
    if hasattr(value, "is_kernel"):
        return _described_kernel(value, seen)
    if hasattr(value, "key_text"):
        return str(value.key_text())
    if isinstance(value, type):
        return _described_class(value)
    text = _described_constant(value, seen)
    if text is not None:
        return text
    if str(getattr(value, "__module__", None)).partition(".")[0] in BY_NAME:
        return f"{value.__module__}.{getattr(value, '__qualname__', value)}"
    if isinstance(value, types.BuiltinFunctionType) or type(value).__module__ == "numpy":
        return f"{type(value).__name__} {value.__name__}"
    if isinstance(value, types.FunctionType):
        if value in seen:
            return f"itself {value.__qualname__}"
        return digest("\n".join(_described_function(value, seen | {value})))
    raise KernelTypeError(f"a kernel refers to {value!r}, which cannot be described for its key")


def _described_kernel(kernel: Any, seen: set[Any]) -> str:
    if kernel in seen:
        return f"itself {kernel.function.__qualname__}"
    if kernel.key is not None:
        return str(kernel.key)
    text = digest("\n".join(_described_function(kernel.function, seen | {kernel})))
    if not _recursive(kernel):  # else it depends on where one begins
        kernel.key = text
    return text


def _described_constant(value: Any, seen: set[Any]) -> str | None:
    if isinstance(value, enum.Enum):
        return f"{type(value).__qualname__}.{value.name} {value.value!r}"
    if value is None or isinstance(value, str | bytes | int | float | complex):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, np.ndarray | np.generic):
        return f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, np.dtype):
        return f"dtype {value}"
    if isinstance(value, tuple | list):
        return f"{type(value).__name__} ({', '.join(_described(one, seen) for one in value)})"
    return None


def _described_class(value: type) -> str:
    if issubclass(value, Record):
        return record_text(value)
    if issubclass(value, enum.Enum):
        return f"{value.__qualname__} {[(one.name, one.value) for one in value]}"
    if value.__module__.partition(".")[0] in BY_NAME:
        return f"{value.__module__}.{value.__qualname__}"
    if issubclass(value, tuple) and hasattr(value, "_fields"):
        return f"{value.__qualname__} {value._fields}"
    raise KernelTypeError(f"a kernel refers to the class {value.__qualname__}, which is neither enum nor record")


def record_text(record: type[Record], seen: set[type] | None = None) -> str:
    """Layout of a record and of those it refers to."""
    seen = set() if seen is None else seen
    seen.add(record)
    lines = [record.layout_text()]
    inner = (field.record for field in record.fields.values() if field.record is not None)
    lines += [record_text(one, seen) for one in inner if one not in seen]
    return "\n".join(lines)


def _recursive(kernel: Any) -> bool:
    """Whether a kernel comes back to itself.

    A kernel that has its key already is not walked through: it does not come back to itself, so no way through it leads
    back to who calls it.
    """
    pending, seen = list(kernels_in(kernel.function)), set[Any]()
    while pending:
        one = pending.pop()
        if one is kernel:
            return True
        if one not in seen and one.key is None:
            seen.add(one)
            pending += kernels_in(one.function)
    return False
