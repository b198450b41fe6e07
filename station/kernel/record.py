"""`Record`: state with names that Python and compiled code share.

    class Brake(Record):
        \"\"\"A brake of a joint.\"\"\"

        closed: bool
        wear: float = field("m", "of the lining")
        way: Way  # an IntEnum
        place: Floats1 = field("m", shape=3)
        loads: Floats1 = field("N", "by joint", shape="n")  # as many as there are joints

    brake = Brake(n=7)
    brake.closed = True
    brake.loads[3] = 12.0

A record is one piece of memory. In a kernel it is an argument like any other, `brake: Brake`, and its fields are read
and written by the same names; it costs no more than a number at a known place. Arrays whose sizes are letters are
sized when a record is made. A field that is a record is part of the same memory, unless it is a `reference`.
"""

from __future__ import annotations

import enum
import hashlib
import inspect
import typing
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from station.kernel.types import DTYPES, KernelTypeError, text_of

WORD = 8  # [bytes]; every field begins at a multiple of it
LINE = 64  # arrays that are sized when the record is made begin at a line of the cache [bytes]

Shape = tuple[int | str, ...]


class Declared(NamedTuple):
    """What `field` says of a field."""

    unit: str
    text: str
    shape: Shape
    default: Any
    refers: bool


def field(unit: str = "", text: str = "", *, shape: int | str | Shape = (), default: Any = None) -> Any:
    """Declare a field of a record: its unit, what it is, and for arrays its shape."""
    return Declared(unit, text, shape if isinstance(shape, tuple) else (shape,), default, False)


def reference(text: str = "") -> Any:
    """Declare a field that is a record of its own, found by its address."""
    return Declared("", text, (), None, True)


class Field(NamedTuple):
    """One field as it lies in memory."""

    name: str
    form: str  # short form of its type: of an array that of its elements
    offset: int  # [bytes]
    shape: Shape  # () for what is no array
    unit: str
    text: str
    default: Any
    record: type[Record] | None  # whose memory is here, or is referred to
    refers: bool
    kind: type[enum.IntEnum | enum.IntFlag] | None

    @property
    def is_array(self) -> bool:
        """Whether it has a shape."""
        return bool(self.shape)

    @property
    def is_sized(self) -> bool:
        """Whether its size is known only when the record is made."""
        return any(isinstance(size, str) for size in self.shape)

    @property
    def letters(self) -> set[str]:
        """The sizes that its shape is made of."""
        texts = (part.strip() for size in self.shape if isinstance(size, str) for part in size.split("+"))
        return {text for text in texts if not text.isdigit()}


class _Scalar:
    """Reads and writes one number of a record."""

    def __init__(self, field: Field) -> None:
        self.place, self.is_real = field.offset // WORD, {"f8": True, "i8": False, "b1": False}[field.form]
        self._kind: Any = bool if field.form == "b1" else field.kind
        self.__doc__ = field.text

    def __get__(self, record: Record | None, _owner: Any = None) -> Any:
        if record is None:
            return self
        value = (record._reals if self.is_real else record._wholes)[self.place]
        return value if self._kind is None else self._kind(value)

    def __set__(self, record: Record, value: Any) -> None:
        (record._reals if self.is_real else record._wholes)[self.place] = value


class _Reference:
    """The address of another record, which lives as long as this one."""

    def __init__(self, field: Field) -> None:
        self._name, self._place, self._record = field.name, field.offset // WORD, field.record

    def __get__(self, record: Record | None, _owner: Any = None) -> Any:
        return self if record is None else record._kept.get(self._name)

    def __set__(self, record: Record, value: Any) -> None:
        if value is not None and type(value) is not self._record:
            raise KernelTypeError(f"{type(record).__name__}.{self._name}: a {self._record.__name__}, not {value!r}")  # type: ignore[union-attr]
        record._kept[self._name] = value
        record._wholes[self._place] = 0 if value is None else value.address


class Record:
    """Base of all records; see the top of this file."""

    fields: ClassVar[Mapping[str, Field]] = {}
    record_name: ClassVar[str] = ""
    _scalars: ClassVar[Mapping[str, _Scalar]] = {}
    fixed_size: ClassVar[int] = 0  # of all but the arrays that are sized when a record is made [bytes]

    address: int

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.record_name = f"{cls.__module__}.{cls.__qualname__}"
        _lay_out(cls)

    def __init__(self, memory: NDArray[np.uint8] | None = None, /, **given: Any) -> None:
        """Make one, all zero but for defaults and what is given; in `memory`, taken as it is, if there is one.

        Names are those of fields, or of sizes; sizes that an array tells need not be said.
        """
        fresh = memory is None
        values = {name: given.pop(name) for name in list(given) if name in self.fields}
        self._sizes = {**self._sizes_of(values), **given}
        self._used = dict(self._sizes)
        shapes, size = self._shapes(self._sizes)
        if memory is None:
            raw = np.zeros(size + LINE, np.uint8)
            start = -raw.ctypes.data % LINE
            memory = raw[start : start + size]
        if memory.nbytes < size:
            raise KernelTypeError(f"{type(self).__name__} takes {size} bytes, there are {memory.nbytes}")
        self._memory, self._kept = memory, dict[str, Any]()
        self.address = memory.ctypes.data
        view = memoryview(memory[: self.fixed_size or WORD].data).cast("B")
        self._reals, self._wholes = view.cast("d"), view.cast("q")
        for field in self.fields.values():
            if field.is_array:
                self._place_array(field, *shapes[field.name])
            elif field.record is not None and not field.refers:
                self.__dict__[field.name] = field.record(memory[field.offset : field.offset + field.record.fixed_size])
        if fresh:
            self.reset()
        for name, value in values.items():
            setattr(self, name, value)

    @classmethod
    def _shapes(cls, sizes: Mapping[str, int]) -> tuple[dict[str, tuple[int, tuple[int, ...]]], int]:
        """Where each array begins and its shape; then the size of all [bytes]."""
        shapes: dict[str, tuple[int, tuple[int, ...]]] = {}
        end, used = cls.fixed_size, set[str]()
        for field in cls.fields.values():
            if not field.is_array:
                continue
            shape = tuple(_size(one, sizes, used) for one in field.shape)
            if not field.is_sized:
                shapes[field.name] = field.offset, shape
                continue
            start = -(-end // LINE) * LINE
            shapes[field.name] = start, shape
            end = start + _bytes(field.form, shape)
        if unknown := set(sizes) - used:
            raise KernelTypeError(f"{cls.__name__} has no size {', '.join(sorted(unknown))}")
        return shapes, end

    def _place_array(self, field: Field, start: int, shape: tuple[int, ...]) -> None:
        dtype = DTYPES[field.form]
        part = self._memory[start : start + int(np.prod(shape)) * dtype.itemsize]
        view = part.view(dtype).reshape(shape)
        self.__dict__[field.name] = view
        if field.is_sized:
            first = field.offset // WORD
            self._wholes[first] = start
            for number, size in enumerate(shape):
                self._wholes[first + 1 + number] = size

    def __setattr__(self, name: str, value: Any) -> None:
        scalar = self._scalars.get(name)  # most of what is set, many times in a tick
        if scalar is not None:
            (self._reals if scalar.is_real else self._wholes)[scalar.place] = value
            return
        field = type(self).fields.get(name)
        if field is not None and (field.is_array or (field.record is not None and not field.refers)):
            if field.is_array:
                self.__dict__[name][...] = value
            else:
                self.__dict__[name].take(value)
            return
        if field is None and name not in _OWN:
            raise AttributeError(f"{type(self).__name__} has no field {name}; it has: {', '.join(type(self).fields)}")
        object.__setattr__(self, name, value)

    def __reduce__(self) -> Any:
        raise TypeError(f"{type(self).__name__} is memory of this process; hand over `bytes`")

    def __bytes__(self) -> bytes:
        return self._memory.tobytes()

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.fields)
        return f"{type(self).__name__}({shown})"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and bytes(self) == bytes(other)

    __hash__ = None  # type: ignore[assignment]

    def take(self, other: Self) -> None:
        """Become a copy of another of the same sizes."""
        if type(other) is not type(self) or other._memory.nbytes != self._memory.nbytes:
            raise KernelTypeError(f"{type(self).__name__} cannot take {type(other).__name__} of another size")
        self._memory[:] = other._memory
        self._kept.update(other._kept)
        if self._used != other._used:
            self.resize(**other._used)

    def resize(self, **sizes: int) -> None:
        """Use arrays up to other sizes than before, never beyond those that the record was made with.

        Kernels see them so from their next call on; what Python has kept of such an array stays as it was. Only first
        sizes of arrays may change: what is in them stays.
        """
        changed = {name for name, size in sizes.items() if self._used.get(name) != size}
        used = {**self._used, **sizes}
        found = []
        for field in self.fields.values():
            if field.is_sized and changed & field.letters:
                shape = tuple(_size(one, used, set()) for one in field.shape)
                most = tuple(_size(one, self._sizes, set()) for one in field.shape)
                if shape[0] > most[0] or shape[1:] != most[1:]:
                    raise KernelTypeError(f"{type(self).__name__}.{field.name} was made for {most}, not for {shape}")
                found.append((field, self._wholes[field.offset // WORD], shape))
        for field, start, shape in found:
            self._place_array(field, start, shape)
        self._used = used

    def copy(self) -> Self:
        """A copy with memory of its own."""
        raw = np.zeros(self._memory.nbytes + LINE, np.uint8)
        start = -raw.ctypes.data % LINE
        other = object.__new__(type(self))
        memory = raw[start : start + self._memory.nbytes]
        memory[:] = self._memory
        Record.__init__(other, memory, **self._sizes)
        other._kept.update(self._kept)
        other.resize(**self._used)
        return other

    def reset(self) -> None:
        """Back to what a new one is; references stay."""
        for field in self.fields.values():
            if field.refers:
                continue
            if field.is_array:
                getattr(self, field.name)[...] = 0 if field.default is None else field.default
            elif field.record is not None:
                getattr(self, field.name).reset()
            else:
                setattr(self, field.name, 0 if field.default is None else field.default)

    @classmethod
    def _sizes_of(cls, arrays: Mapping[str, Any]) -> dict[str, int]:
        """Sizes that arrays tell."""
        sizes: dict[str, int] = {}
        for name, array in arrays.items():
            if not cls.fields[name].is_sized:
                continue
            shape = zip(cls.fields[name].shape, np.shape(array), strict=False)
            sizes.update({size: length for size, length in shape if isinstance(size, str) and size.isidentifier()})
        return sizes

    @classmethod
    def layout_text(cls) -> str:
        """All that compiled code takes for granted of this record: what a key is made of."""
        lines = [f"{cls.record_name} {cls.fixed_size}"]
        for field in cls.fields.values():
            lines.append(f"{field.name} {field.form} {field.offset} {field.shape} {field.refers}")
            if field.record is not None and not field.refers:
                lines.append(field.record.layout_text())
            elif field.record is not None:
                lines.append(field.record.record_name)
        return "\n".join(lines)

    @classmethod
    def dtype(cls) -> np.dtype[np.void]:
        """The same as a structured type of numpy, for arrays of such records; not for sized or referring fields."""
        names, formats, offsets = [], [], []
        for field in cls.fields.values():
            if field.is_sized or field.refers:
                raise KernelTypeError(f"{cls.__name__}.{field.name} has no place of its own in an array of records")
            one: Any = field.record.dtype() if field.record is not None else DTYPES[field.form]
            names.append(field.name)
            formats.append((one, field.shape) if field.is_array else one)
            offsets.append(field.offset)
        return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": cls.fixed_size})


_OWN = frozenset({"address", "_memory", "_kept", "_sizes", "_used", "_reals", "_wholes"})


def _lay_out(cls: type[Record]) -> None:
    """Find the place of every field of a class and of its bases."""
    fields: dict[str, Field] = dict(cls.fields)
    end = cls.fixed_size
    hints = typing.get_type_hints(cls, include_extras=True)
    for name in inspect.get_annotations(cls):
        if typing.get_origin(hints[name]) is ClassVar or name in Record.__annotations__:
            continue
        if hasattr(Record, name):
            raise KernelTypeError(f"{cls.__name__}.{name}: every record has a {name} of its own; call it otherwise")
        said = cls.__dict__.get(name)
        if not isinstance(said, Declared):
            said = Declared("", "", (), said, False)
        one = _field(cls, name, hints[name], said, end)
        fields[name] = one
        end += _field_size(one)
        if one.is_array or (one.record is not None and not one.refers):
            if name in cls.__dict__:
                delattr(cls, name)
        else:
            setattr(cls, name, _Reference(one) if one.refers else _Scalar(one))
    cls.fields, cls.fixed_size = fields, end
    cls._scalars = {name: found for name in fields if isinstance(found := getattr(cls, name, None), _Scalar)}


def _field(cls: type[Record], name: str, annotation: Any, said: Declared, offset: int) -> Field:
    text = text_of(annotation)
    record = annotation if isinstance(annotation, type) and issubclass(annotation, Record) else None
    kind = annotation if isinstance(annotation, type) and issubclass(annotation, enum.IntEnum | enum.IntFlag) else None
    where = f"{cls.__name__}.{name}"
    if said.refers and record is None:
        raise KernelTypeError(f"{where}: only a record can be referred to")
    element, _, dimensions = text.partition("[")
    if dimensions and len(said.shape) != dimensions.count(":"):
        raise KernelTypeError(f"{where}: {text} needs a shape of {dimensions.count(':')} sizes, not {said.shape}")
    if not dimensions and said.shape:
        raise KernelTypeError(f"{where}: {text} has no shape; Floats1 and the like have")
    return Field(name, element, offset, said.shape, said.unit, said.text, said.default, record, said.refers, kind)


def _field_size(field: Field) -> int:
    """What a field takes in the fixed part [bytes]: of an array to be sized, where it is and its sizes."""
    if field.is_sized:
        return WORD * (1 + len(field.shape))
    if field.is_array:
        whole = _bytes(field.form, tuple(int(size) for size in field.shape))
        return -(-whole // WORD) * WORD
    if field.record is not None and not field.refers:
        return field.record.fixed_size
    return WORD


def _bytes(element: str, shape: tuple[int, ...]) -> int:
    return int(np.prod(shape)) * DTYPES[element].itemsize


def _size(one: int | str, sizes: Mapping[str, int], used: set[str]) -> int:
    """A size such as 3, 'n' or 'n+1'."""
    if isinstance(one, int):
        return one
    total = 0
    for part in (text.strip() for text in one.split("+")):
        if part.isdigit():
            total += int(part)
        elif part in sizes:
            used.add(part)
            total += sizes[part]
        else:
            raise KernelTypeError(f"size {part} is missing; there are: {', '.join(sizes) or 'none'}")
    return total


def digest(text: str) -> str:
    """Short name of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:20]
