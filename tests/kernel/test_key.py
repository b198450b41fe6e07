"""Keys: everything that a kernel refers to is in its key, so that old machine code never runs."""

from __future__ import annotations

import dis
import enum
import importlib
import os
import pkgutil
import subprocess
import sys
import textwrap
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from station.kernel import Floats1, Kernel, KernelTypeError, Record, field, kernel
from station.kernel.key import key_of, references, variant_key
from station.kernel.types import Signature

ROOT = Path(__file__).parents[2]
PACKAGES = ("station", "firmware_bridge", "sim_devices", "calibration")
WINDOWS = ("station.view", "PySide6")


def all_kernels() -> list[Kernel]:
    """All kernels of the project."""
    for package in PACKAGES:
        top = importlib.import_module(package)
        for found in pkgutil.walk_packages(top.__path__, f"{package}."):
            if not found.name.startswith(WINDOWS) and not found.name.endswith("__main__"):
                importlib.import_module(found.name)
    seen: dict[int, Kernel] = {}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in PACKAGES:
            for value in vars(module).values():
                if isinstance(value, Kernel):
                    seen[id(value)] = value
    return list(seen.values())


def loaded_by(code: types.CodeType) -> set[tuple[str, str | None]]:
    """Global names that a function loads, with the attribute that follows, as Python's own disassembler has it."""
    found = set()
    instructions = [one for one in dis.get_instructions(code) if one.opname not in ("CACHE", "EXTENDED_ARG")]
    for one, after in zip(instructions, [*instructions[1:], None], strict=True):
        if one.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            attribute = after is not None and after.opname in ("LOAD_ATTR", "LOAD_METHOD")
            found.add((one.argval, after.argval if attribute and after is not None else None))
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= loaded_by(constant)
    return found


def test_every_definition_that_a_kernel_refers_to_is_in_its_key() -> None:
    kernels = all_kernels()
    assert len(kernels) > 300
    missing = []
    for one in kernels:
        function: Any = one.function
        known = references(function)
        for name, attribute in loaded_by(function.__code__):
            if name not in function.__globals__:
                continue
            value = function.__globals__[name]
            wanted = f"{name}.{attribute}" if isinstance(value, types.ModuleType) else name
            if wanted not in known:
                missing.append(f"{function.__module__}.{function.__qualname__}: {wanted}")
        assert len(key_of(one)) == 20  # raises for what cannot be described
    assert not missing


class Colour(enum.IntEnum):
    RED = 1


class Box(Record):
    """A box."""

    size: float = field("m")


LIMIT = 2.0
TABLE = np.array([1.0, 2.0])


def _plain(x: float) -> float:
    return x + 1.0


@kernel
def _inner(x: float) -> float:
    return x * LIMIT


@kernel
def _outer(box: Box, x: float) -> float:
    """What it does."""
    return float(_inner(x) + TABLE[0] + box.size + float(Colour.RED))


def key_anew(one: Any) -> str:
    """Key as another process would compute it."""
    kernels: tuple[Any, ...] = (_inner, _outer)
    for other in kernels:
        other.key = None
    return key_of(one)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("LIMIT", 3.0),
        ("TABLE", np.array([1.0, 2.5])),
        ("_inner", Kernel(_plain)),
        ("Colour", enum.IntEnum("Colour", {"RED": 2})),
    ],
)
def test_a_change_of_anything_referred_to_changes_the_key(
    monkeypatch: pytest.MonkeyPatch, name: str, value: object
) -> None:
    before = key_anew(_outer)
    assert before == key_anew(_outer)
    monkeypatch.setattr(sys.modules[__name__], name, value)
    assert key_anew(_outer) != before


def test_layouts_of_records_and_signatures_are_in_the_key() -> None:
    def one(box: Box) -> float:
        return box.size

    made = Kernel(one)
    here = f"{__name__}.Box"
    before = variant_key(made, Signature((here,), "f8"))
    assert variant_key(made, Signature((here,), "i8")) != before
    fields = Box.fields
    try:
        Box.fields = {"size": fields["size"]._replace(offset=8)}
        assert variant_key(made, Signature((here,), "f8")) != before
    finally:
        Box.fields = fields
    assert variant_key(made, Signature((here,), "f8")) == before


def compiled_from(text: str) -> str:
    space: dict[str, Any] = {"LIMIT": 2.0}
    exec(textwrap.dedent(text), space)
    return key_of(Kernel(space["f"]))


def test_comments_docstrings_and_places_do_not_count_but_numbers_do() -> None:
    plain = compiled_from("def f(x):\n    return x + 1.0 * LIMIT")
    assert compiled_from("def f(x):\n    # why\n\n    return x + 1.0 * LIMIT") == plain
    assert compiled_from("\n\ndef f(x):\n    return x + 2.0 * LIMIT") != plain
    told = compiled_from('def f(x):\n    """Says this."""\n    return x + 1.0 * LIMIT')
    assert compiled_from('def f(x):\n    """Says that."""\n    return x + 1.0 * LIMIT') == told


def test_what_cannot_be_described_is_refused() -> None:
    thing = object()

    def f() -> object:
        return thing

    with pytest.raises(KernelTypeError, match="cannot be described"):
        key_of(Kernel(f))


def test_kernels_that_call_themselves_and_each_other_have_keys() -> None:
    space: dict[str, Any] = {"kernel": kernel}
    text = "@kernel\ndef a(n):\n    return 1 if n == 0 else b(n - 1)\n@kernel\ndef b(n):\n    return {} * a(n)"
    exec(text.format(2), space)
    first = key_of(space["a"]), key_of(space["b"])
    assert first[0] != first[1]
    other: dict[str, Any] = {"kernel": kernel}
    exec(text.format(3), other)
    assert key_of(other["a"]) != first[0]
    assert key_of(other["b"]) != first[1]
    again: dict[str, Any] = {"kernel": kernel}
    exec(text.format(2), again)
    assert (key_of(again["b"]), key_of(again["a"])) == (first[1], first[0])  # whichever is asked first


def test_a_constant_two_files_away_acts_at_once(tmp_path: Path) -> None:
    (tmp_path / "far.py").write_text("LIMIT = 5.0\n")
    (tmp_path / "middle.py").write_text(
        "import far\nfrom station.kernel import kernel\n\n@kernel\ndef limited(x: float) -> float:\n"
        "    return min(x, far.LIMIT)\n"
    )
    (tmp_path / "near.py").write_text(
        "from middle import limited\nfrom station.kernel import entry\n\n@entry\ndef answer(x: float) -> float:\n"
        "    return limited(x)\n"
    )
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}", "XDG_CACHE_HOME": str(tmp_path / "cache")}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"

    def answer() -> float:
        code = "import near; print(near.answer(100.0))"
        return float(
            subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, env=environment).stdout
        )

    assert answer() == 5.0
    (tmp_path / "far.py").write_text("LIMIT = 0.02\n")
    assert answer() == 0.02
    (tmp_path / "far.py").write_text("# a comment\nLIMIT = 0.02\n")
    before = sorted((tmp_path / "cache").rglob("*.so"))
    assert answer() == 0.02
    assert sorted((tmp_path / "cache").rglob("*.so")) == before  # nothing compiled anew for a comment


def test_loops_over_arrays_run_by_the_values_of_now() -> None:
    def total(values: Floats1) -> float:
        result = 0.0
        for value in values:
            result += value
        return result

    assert Kernel(total)(np.arange(4.0)) == 6.0
