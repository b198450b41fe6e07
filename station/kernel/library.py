"""Compiled kernels on disk: where they are, and how they are loaded.

Every entry is a shared library of a few kilobytes, named after its key. Entries that it calls are loaded before it. A
machine without a linker keeps the object files and loads them by llvmlite.
"""

from __future__ import annotations

import ctypes
import functools
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from station.cache import cache_home
from station.kernel.kernel import Kernel
from station.kernel.key import baseline, compiler, kernels_in, levels, record_named, variant_key
from station.kernel.types import Signature

METH_FASTCALL = 0x80
SHIPPED = Path(__file__).parent / "compiled"  # what a wheel carries, a folder for each processor


class _Method(ctypes.Structure):
    """How Python describes a function of its own kind."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("code", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


class Loaded(NamedTuple):
    """Machine code in this process."""

    function: Any  # for Python
    address: int  # for other machine code
    kept: Any  # what must live as long


@functools.cache
def folder() -> Path:
    """Where compiled kernels are kept for this user."""
    return cache_home() / f"kernels-{baseline()}-{compiler()}"


def symbol_of(kernel: Kernel, signature: Signature) -> str:
    """Name of the machine code, in its file and as the file."""
    return f"station_{kernel.function.__name__}_{variant_key(kernel, signature)}"


def find(symbol: str) -> Path | None:
    """The file of compiled code, if there is one: made here, or shipped for this processor or an older one."""
    for place in (folder(), *(SHIPPED / level for level in levels(baseline()))):
        for ending in (".so", ".o"):
            path = place / f"{symbol}{ending}"
            if path.exists():
                return path
    return None


@functools.cache
def linker() -> str | None:
    """A program that makes a shared library of an object file."""
    return next((found for name in ("ld", "ld.lld", "ld.gold") if (found := shutil.which(name))), None)


def keep(symbol: str, code: bytes) -> Path:
    """Put machine code on disk, whole or not at all; several processes may do so at once."""
    folder().mkdir(parents=True, exist_ok=True)
    source, made = (folder() / f".{symbol}.{os.getpid()}.{ending}" for ending in ("o", "so"))
    source.write_bytes(code)
    program = linker()
    if program is None:
        return source.replace(folder() / f"{symbol}.o")
    try:
        subprocess.run([program, "-shared", "-z", "noexecstack", "-s", "-o", str(made), str(source)], check=True)  # noqa: S603
    finally:
        source.unlink(missing_ok=True)
    return made.replace(folder() / f"{symbol}.so")


_loaded: dict[tuple[Kernel, Signature], Loaded] = {}


def load(kernel: Kernel) -> Loaded:
    """Machine code of a kernel with the signature of its annotations; compiled now if it is not on disk."""
    return _load(kernel, kernel.signature)


def load_variant(kernel: Kernel, takes: tuple[str, ...]) -> Any:
    """What Python calls for arguments of these types, of a kernel whose annotations leave some open."""
    return _load(kernel, Signature(takes, "")).function


def _load(kernel: Kernel, signature: Signature) -> Loaded:
    known = _loaded.get((kernel, signature))
    if known is not None:
        return known
    symbol = symbol_of(kernel, signature)
    path = find(symbol)
    if path is None:
        from station.kernel.build import build

        build(kernel, signature)
        path = find(symbol)
        assert path is not None
    for one in entries_in(kernel):
        if one is not kernel:
            load(one)
    made = _loaded[kernel, signature] = _open(kernel, signature, symbol, path)
    return made


def entries_in(kernel: Kernel) -> list[Kernel]:
    """Entries that the code of a kernel calls and that are not compiled into it."""
    return [one for one in _callees(kernel) if not one.is_inline]


def size_of(kernel: Kernel) -> int:
    """How much there is to compile: Python's instructions of a kernel and of all that is compiled into it [bytes]."""
    parts = [kernel, *(one for one in _callees(kernel) if one.is_inline)]
    return sum(len(one.function.__code__.co_code) for one in parts)


def _callees(kernel: Kernel) -> list[Kernel]:
    """Kernels that are called by the code of a kernel, as far as it is one piece; without itself."""
    found: dict[Kernel, None] = {}
    pending = list(kernels_in(kernel.function))
    while pending:
        one = pending.pop()
        if one is not kernel and one not in found:
            found[one] = None
            if one.is_inline:
                pending += kernels_in(one.function)
    return list(found)


def _open(kernel: Kernel, signature: Signature, symbol: str, path: Path) -> Loaded:
    if path.suffix == ".o":
        main, wrapper = _engine().load(path, symbol)
        library: Any = None
    else:
        library = ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
        main, wrapper = (ctypes.cast(library[name], ctypes.c_void_p).value or 0 for name in (symbol, f"{symbol}_py"))
    records = [record_named(text) for text in dict.fromkeys(signature.takes) if "." in text and text[0] != "("]
    own = (np.ndarray, "address", *records)
    method = _Method(kernel.function.__name__.encode(), wrapper, METH_FASTCALL, None)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    function = make(ctypes.addressof(method), own, None)
    return Loaded(function, main, (library, method, own))


class _Engine:
    """Object files in this process, where there was no linker to make libraries of them."""

    def __init__(self) -> None:
        import llvmlite.binding as llvm

        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        self._llvm = llvm
        machine = llvm.Target.from_default_triple().create_target_machine()
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)

    def load(self, path: Path, symbol: str) -> tuple[int, int]:
        """Addresses of both functions."""
        self._engine.add_object_file(self._llvm.ObjectFileRef.from_path(str(path)))
        self._engine.finalize_object()
        return self._engine.get_function_address(symbol), self._engine.get_function_address(f"{symbol}_py")


@functools.cache
def _engine() -> _Engine:
    return _Engine()
