"""Types that cross the border between Python and compiled code, in a short form that both understand.

    i8, f8, b1           a whole number, a real number, a truth
    f8[:], i8[:,:] …     an array in one piece
    module.Name          a record, by its address
    (f8, i8)             a tuple
    none                 nothing, as a result

They come from annotations: `Floats2` is an array with two dimensions, `Floats` one of any (inside kernels only).
"""

from __future__ import annotations

import enum
import typing
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]
Bools = NDArray[np.bool_]


class Rank(NamedTuple):
    """Number of dimensions of an array, in its annotation."""

    dimensions: int


Floats1 = Annotated[Floats, Rank(1)]
Floats2 = Annotated[Floats, Rank(2)]
Floats3 = Annotated[Floats, Rank(3)]
Ints1 = Annotated[Ints, Rank(1)]
Ints2 = Annotated[Ints, Rank(2)]
Bytes1 = Annotated[Bytes, Rank(1)]
Bools1 = Annotated[Bools, Rank(1)]

SCALARS: dict[Any, str] = {float: "f8", int: "i8", bool: "b1", type(None): "none", None: "none"}
ELEMENTS = {np.dtype(np.float64): "f8", np.dtype(np.int64): "i8", np.dtype(np.bool_): "b1", np.dtype(np.uint8): "u1"}
DTYPES = {text: dtype for dtype, text in ELEMENTS.items()}


class KernelTypeError(TypeError):
    """An annotation, a value or an address that does not fit a kernel."""


def array_text(element: str, dimensions: int) -> str:
    """Short form of an array."""
    return f"{element}[{','.join(':' * dimensions)}]"


def text_of(annotation: Any) -> str:
    """Short form of an annotation; raises a KernelTypeError for what cannot cross the border."""
    if annotation in SCALARS if _hashable(annotation) else False:
        return SCALARS[annotation]
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is tuple:
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            raise KernelTypeError(f"{annotation}: a tuple needs its length")
        return f"({', '.join(text_of(part) for part in arguments)})"
    if hasattr(annotation, "__metadata__"):
        ranks = [one.dimensions for one in annotation.__metadata__ if isinstance(one, Rank)]
        if ranks:
            return array_text(_element(annotation.__origin__), ranks[0])
    if isinstance(annotation, type):
        if issubclass(annotation, enum.IntEnum | enum.IntFlag):
            return "i8"
        if hasattr(annotation, "record_name"):
            return str(annotation.record_name)
        if issubclass(annotation, tuple) and hasattr(annotation, "_fields"):
            hints = typing.get_type_hints(annotation, include_extras=True)
            return f"({', '.join(text_of(hints[name]) for name in annotation._fields)})"
    raise KernelTypeError(
        f"{annotation}: say how many dimensions, as Floats1; or bool, int, float, an IntEnum, a Record"
    )


def text_of_value(value: Any) -> str:
    """Short form of a value that is handed to a kernel whose annotations do not say it all."""
    if isinstance(value, np.ndarray):
        if value.dtype not in ELEMENTS or not value.flags.c_contiguous:
            raise KernelTypeError(
                f"an array of {value.dtype} with strides {value.strides}; wanted: one piece of numbers"
            )
        return array_text(ELEMENTS[value.dtype], value.ndim)
    if isinstance(value, tuple):
        return f"({', '.join(text_of_value(part) for part in value)})"
    if hasattr(type(value), "record_name"):
        return str(type(value).record_name)
    if isinstance(value, bool | np.bool_):
        return "b1"
    if isinstance(value, int | np.integer):
        return "i8"
    if isinstance(value, float | np.floating):
        return "f8"
    raise KernelTypeError(f"{value!r}: kernels take numbers, arrays, tuples and records")


def parts_of(text: str) -> list[str]:
    """Parts of a tuple's short form."""
    parts, depth, start, inner = [], 0, 0, text[1:-1]
    for place, letter in enumerate(inner + ","):
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            if part := inner[start:place].strip():
                parts.append(part)
            start = place + 1
    return parts


class Signature(NamedTuple):
    """What a kernel takes and returns, in short forms."""

    takes: tuple[str, ...]
    returns: str

    def __str__(self) -> str:
        return f"({', '.join(self.takes)}) -> {self.returns}"


def signature_of(function: Callable[..., Any]) -> Signature:
    """Signature by annotations; raises a KernelTypeError if they leave something open."""
    hints = typing.get_type_hints(function, include_extras=True)
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    try:
        return Signature(tuple(text_of(hints[name]) for name in names), text_of(hints["return"]))
    except KeyError as error:
        raise KernelTypeError(f"{function.__qualname__}: {error} has no annotation") from None
    except KernelTypeError as error:
        raise KernelTypeError(f"{function.__qualname__}: {error}") from None


def _hashable(annotation: Any) -> bool:
    try:
        hash(annotation)
    except TypeError:
        return False
    return True


def _element(annotation: Any) -> str:
    """Element type of an NDArray annotation."""
    dtype = typing.get_args(typing.get_args(annotation)[1])[0]
    return ELEMENTS[np.dtype(dtype)]
