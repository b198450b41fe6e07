"""Kernels to machine code, by numba. Only the process that compiles loads this.

numba optimises and links every function as soon as something calls it, and what it is called by once more. Here
functions are only translated, each once in a process; they are linked and optimised together, once for every entry.
"""

from __future__ import annotations

import enum
import functools
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils, codegen, cpu
from numba.core.compiler_lock import global_compiler_lock
from numba.core.imputils import lower_constant
from numba.core.runtime.context import NRTContext
from numba.core.typing.templates import AttributeTemplate, make_intrinsic_template
from numba.extending import (
    infer_getattr,
    lower_getattr_generic,
    lower_setattr_generic,
    models,
    overload,
    register_model,
    typeof_impl,
)
from numba.np import arrayobj

from station.kernel.intrinsics import Intrinsic, RecordAt
from station.kernel.kernel import Callback, CFunction, Kernel
from station.kernel.key import baseline, record_named
from station.kernel.record import WORD, Field, Record
from station.kernel.types import KernelTypeError, Signature, parts_of
from station.kernel.wrapper import add_wrapper

I8 = ir.IntType(8)
I64 = ir.IntType(64)
POINTER = I8.as_pointer()

SCALARS = {
    "f8": types.float64,
    "i8": types.int64,
    "b1": types.boolean,
    "u1": types.uint8,
    "i4": types.int32,
    "none": types.none,
}

# What numba's arrays may call: where slices overlap, for the text of an error, and in kernels that make arrays of their
# own (not those of a tick). Memory is the C library's. Offsets are those of numba's counted memory.
RUNTIME = """
declare i8* @malloc(i64)
declare void @free(i8*)
define linkonce_odr i8* @NRT_Allocate(i64 %size) {
  %place = call i8* @malloc(i64 %size)
  ret i8* %place
}
define linkonce_odr void @NRT_Free(i8* %place) {
  call void @free(i8* %place)
  ret void
}
define linkonce_odr i8* @NRT_MemInfo_alloc(i64 %size) {
  %all = add i64 %size, 128
  %place = call i8* @malloc(i64 %all)
  %number = ptrtoint i8* %place to i64
  %beyond = add i64 %number, 127
  %even = and i64 %beyond, -64
  %data = inttoptr i64 %even to i8*
  %count = bitcast i8* %place to i64*
  store i64 1, i64* %count
  %dtor = getelementptr i64, i64* %count, i64 1
  store i64 0, i64* %dtor
  %slot = getelementptr i8, i8* %place, i64 24
  %typed = bitcast i8* %slot to i8**
  store i8* %data, i8** %typed
  %sized = getelementptr i64, i64* %count, i64 4
  store i64 %size, i64* %sized
  ret i8* %place
}
define linkonce_odr i8* @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align) noinline {
  %place = call i8* @NRT_MemInfo_alloc(i64 %size)
  ret i8* %place
}
define linkonce_odr i8* @NRT_MemInfo_alloc_safe_aligned(i64 %size, i32 %align) noinline {
  %place = call i8* @NRT_MemInfo_alloc(i64 %size)
  ret i8* %place
}
define linkonce_odr void @NRT_MemInfo_call_dtor(i8* %place) {
  call void @free(i8* %place)
  ret void
}
"""
COLOURS = re.compile(r"\x1b\[\d*m")  # with which numba paints its errors
MAKES_ARRAYS = ("NRT_MemInfo_alloc_aligned", "NRT_MemInfo_alloc_safe_aligned")


class RecordType(types.Type):  # type: ignore[misc]
    """A record: an address, with fields at known distances."""

    def __init__(self, record: type[Record]) -> None:
        self.record = record
        super().__init__(name=f"Record({record.record_name})")


@register_model(RecordType)
class RecordModel(models.PrimitiveModel):  # type: ignore[misc]
    """In machine code: a pointer."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, POINTER)


@functools.cache
def numba_type(text: str) -> Any:
    """Numba's type of a short form."""
    if text in SCALARS:
        return SCALARS[text]
    if text[0] == "(":
        return types.Tuple([numba_type(part) for part in parts_of(text)])
    if "[" in text:
        element, _, dimensions = text.partition("[")
        return types.Array(SCALARS[element], dimensions.count(":"), "C")
    return RecordType(record_named(text))


def _field_type(field: Field) -> Any:
    if field.record is not None:
        return numba_type(field.record.record_name)
    one = SCALARS[field.form]
    return types.Array(one, len(field.shape), "C") if field.is_array else one


@infer_getattr
class RecordAttribute(AttributeTemplate):  # type: ignore[misc]
    """Types of fields."""

    key = RecordType

    def generic_resolve(self, kind: Any, name: str) -> Any:
        """Type of a field; None if there is no such field."""
        field = kind.record.fields.get(name)
        return None if field is None else _field_type(field)


def _at(builder: Any, base: Any, offset: Any, kind: Any) -> Any:
    """Pointer to something at a distance from a base [bytes]."""
    distance = offset if isinstance(offset, ir.Value) else I64(offset)
    return builder.bitcast(builder.gep(base, [distance]), kind.as_pointer())


@lower_getattr_generic(RecordType)  # type: ignore[untyped-decorator]
def _get(context: Any, builder: Any, kind: Any, base: Any, name: str) -> Any:
    field = kind.record.fields[name]
    if field.record is not None and not field.refers:
        return builder.gep(base, [I64(field.offset)])
    if field.is_array:
        return _array(context, builder, base, field)
    if field.refers:
        return builder.inttoptr(builder.load(_at(builder, base, field.offset, I64)), POINTER)
    if field.form == "f8":
        return builder.load(_at(builder, base, field.offset, ir.DoubleType()))
    word = builder.load(_at(builder, base, field.offset, I64))
    return builder.icmp_signed("!=", word, I64(0)) if field.form == "b1" else word


def _array(context: Any, builder: Any, base: Any, field: Field) -> Any:
    """An array that is part of a record."""
    if field.is_sized:
        start = builder.load(_at(builder, base, field.offset, I64))
        places = (field.offset + WORD * (1 + number) for number in range(len(field.shape)))
        sizes = [builder.load(_at(builder, base, place, I64)) for place in places]
    else:
        start, sizes = I64(field.offset), [I64(size) for size in field.shape]
    return _array_at(context, builder, builder.gep(base, [start]), _field_type(field), sizes)


def _array_at(context: Any, builder: Any, place: Any, kind: Any, sizes: list[Any]) -> Any:
    """An array without owner."""
    itemsize = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    strides: list[Any] = []
    step = I64(itemsize)
    for size in reversed(sizes):
        strides.insert(0, step)
        step = builder.mul(step, size)
    array = context.make_array(kind)(context, builder)
    data = builder.bitcast(place, context.get_data_type(kind.dtype).as_pointer())
    arrayobj.populate_array(array, data=data, shape=sizes, strides=strides, itemsize=I64(itemsize), meminfo=None)
    return array._getvalue()


@lower_setattr_generic(RecordType)  # type: ignore[untyped-decorator]
def _set(_context: Any, builder: Any, signature: Any, arguments: Any, name: str) -> None:
    base, value = arguments
    field = signature.args[0].record.fields[name]
    if field.is_array or field.record is not None:
        raise KernelTypeError(f"{signature.args[0]}.{name} has its own memory; fill it: x.{name}[:] = …")
    if field.form == "f8":
        builder.store(value, _at(builder, base, field.offset, ir.DoubleType()))
        return
    word = builder.zext(value, I64) if value.type != I64 else value
    builder.store(word, _at(builder, base, field.offset, I64))


# Enums of whole numbers ---------------------------------------------------------------------------------------


class EnumType(types.Type):  # type: ignore[misc]
    """An IntEnum or IntFlag: nothing in machine code; its members are the whole numbers that they are in Python."""

    def __init__(self, kind: enum.EnumMeta) -> None:
        self.kind = kind
        super().__init__(name=f"Enum({kind.__module__}.{kind.__qualname__} {id(kind)})")


register_model(EnumType)(models.OpaqueModel)


@infer_getattr
class EnumAttribute(AttributeTemplate):  # type: ignore[misc]
    """Types of members."""

    key = EnumType

    def generic_resolve(self, kind: Any, name: str) -> Any:
        """A whole number; None if there is no such member."""
        return types.int64 if name in kind.kind.__members__ else None


@lower_getattr_generic(EnumType)  # type: ignore[untyped-decorator]
def _get_member(_context: Any, _builder: Any, kind: Any, _value: Any, name: str) -> Any:
    return I64(int(kind.kind[name]))


@lower_constant(EnumType)  # type: ignore[untyped-decorator]
def _enum_constant(context: Any, _builder: Any, _kind: Any, _value: Any) -> Any:
    return context.get_dummy_value()


_plain_enum = typeof_impl.dispatch(enum.EnumMeta)


@typeof_impl.register(enum.EnumMeta)  # type: ignore[untyped-decorator]
def _typeof_enum(kind: Any, context: Any) -> Any:
    return EnumType(kind) if issubclass(kind, enum.IntEnum | enum.IntFlag) else _plain_enum(kind, context)


@typeof_impl.register(enum.IntEnum)  # type: ignore[untyped-decorator]
@typeof_impl.register(enum.IntFlag)  # type: ignore[untyped-decorator]
def _typeof_member(_member: Any, _context: Any) -> Any:
    return types.int64


# Functions that kernels know ----------------------------------------------------------------------------------


def _dispatcher(kernel: Kernel) -> Any:
    """A kernel as numba's own kind of function."""
    known = _dispatchers[_counting[-1]]
    if kernel not in known:
        known[kernel] = _jit(kernel)
    return known[kernel]


def _jit(kernel: Kernel) -> Any:
    return numba.njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)(kernel.function)


_dispatchers: tuple[dict[Kernel, Any], dict[Kernel, Any]] = ({}, {})  # without and with counted memory
_counting = [False]  # the last: whether memory is counted in what is translated now
_called: dict[Any, Any] = {}


def _as_called(value: Any, count: int, generate: Callable[..., Any]) -> Any:
    """Numba's type of something that is called with that many arguments; made once for each."""
    if value not in _called:
        names = "".join(f", a{number}" for number in range(count))
        space: dict[str, Any] = {"generate": generate}
        exec(f"def call(context{names}): return generate(({names[2:]}{',' * (count > 0)}))", space)  # noqa: S102
        _called[value] = types.Function(make_intrinsic_template(value, space["call"], "call"))
    return _called[value]


@typeof_impl.register(Kernel)  # type: ignore[untyped-decorator]
def _typeof_kernel(kernel: Kernel, _context: Any) -> Any:
    if kernel.is_inline:
        return types.Dispatcher(_dispatcher(kernel))
    signature = kernel.signature

    def generate(_arguments: Any) -> Any:
        returns, takes = numba_type(signature.returns), [numba_type(one) for one in signature.takes]

        def call(context: Any, builder: Any, _signature: Any, values: Any) -> Any:
            from station.kernel.library import symbol_of

            kind = context.call_conv.get_function_type(returns, takes)
            target = cgutils.get_or_insert_function(builder.module, kind, symbol_of(kernel, signature))
            _status, result = context.call_conv.call_function(builder, target, returns, takes, values)
            return result

        return returns(*takes), call

    return _as_called(kernel, len(signature.takes), generate)


@typeof_impl.register(Callback)  # type: ignore[untyped-decorator]
def _typeof_callback(callback: Callback, _context: Any) -> Any:
    signature = callback.signature

    def generate(_arguments: Any) -> Any:
        returns, takes = numba_type(signature.returns), [numba_type(one) for one in signature.takes]

        def call(context: Any, builder: Any, _signature: Any, values: Any) -> Any:
            convention = context.call_conv
            place = builder.inttoptr(values[0], convention.get_function_type(returns, takes).as_pointer())
            _status, result = convention.call_function(builder, place, returns, takes, values[1:])
            return result

        return returns(types.int64, *takes), call

    return _as_called(callback, 1 + len(signature.takes), generate)


@typeof_impl.register(CFunction)  # type: ignore[untyped-decorator]
def _typeof_c(function: CFunction, _context: Any) -> Any:
    returns, takes = SCALARS[function.returns], [SCALARS[one] for one in function.takes]
    first = [] if function.symbol else [types.int64]

    def generate(_arguments: Any) -> Any:
        def call(context: Any, builder: Any, _signature: Any, values: Any) -> Any:
            result = ir.VoidType() if function.returns == "none" else context.get_value_type(returns)
            kind = ir.FunctionType(result, [context.get_value_type(one) for one in takes])
            if function.symbol:
                target = cgutils.get_or_insert_function(builder.module, kind, function.symbol)
            else:
                target, values = builder.inttoptr(values[0], kind.as_pointer()), values[1:]
            got = builder.call(target, values)
            return context.get_dummy_value() if function.returns == "none" else got

        return returns(*first, *takes), call

    return _as_called(function, len(first) + len(takes), generate)


def _load(order: str) -> Any:
    def call(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        return builder.load_atomic(builder.inttoptr(values[0], I64.as_pointer()), order, WORD)

    return lambda _arguments: (types.int64(types.int64), call)


def _store(order: str) -> Any:
    def call(context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        builder.store_atomic(values[1], builder.inttoptr(values[0], I64.as_pointer()), order, WORD)
        return context.get_dummy_value()

    return lambda _arguments: (types.void(types.int64, types.int64), call)


def _fence(order: str) -> Any:
    def call(context: Any, builder: Any, _signature: Any, _values: Any) -> Any:
        builder.fence(order)
        return context.get_dummy_value()

    return lambda _arguments: (types.void(), call)


def _bits(returns: Any, takes: Any, kind: Any) -> Any:
    def call(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        return builder.bitcast(values[0], kind)

    return lambda _arguments: (returns(takes), call)


def _numbers_at(element: Any) -> Any:
    kind = types.Array(element, 1, "C")

    def call(context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        return _array_at(context, builder, builder.inttoptr(values[0], POINTER), kind, [values[1]])

    return lambda _arguments: (kind(types.int64, types.int64), call)


def _load_any(returns: Any, kind: Any) -> Any:
    def call(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        got = builder.load(builder.inttoptr(values[0], kind.as_pointer()), align=1)
        return builder.fpext(got, ir.DoubleType()) if isinstance(kind, ir.FloatType) else got

    return lambda _arguments: (returns(types.int64), call)


def _store_any(takes: Any, kind: Any) -> Any:
    def call(context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        value = builder.fptrunc(values[1], kind) if isinstance(kind, ir.FloatType) else values[1]
        builder.store(value, builder.inttoptr(values[0], kind.as_pointer()), align=1)
        return context.get_dummy_value()

    return lambda _arguments: (types.void(types.int64, takes), call)


def _address_of_array(arguments: Any) -> Any:
    def call(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.ptrtoint(context.make_array(signature.args[0])(context, builder, values[0]).data, I64)

    return types.int64(arguments[0]), call


def _address_of_record(arguments: Any) -> Any:
    def call(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        return builder.ptrtoint(values[0], I64)

    return types.int64(arguments[0]), call


INTRINSICS: dict[str, tuple[int, Any]] = {
    "load_acquire": (1, _load("acquire")),
    "load_relaxed": (1, _load("monotonic")),
    "store_release": (2, _store("release")),
    "store_relaxed": (2, _store("monotonic")),
    "fence_acquire": (0, _fence("acquire")),
    "fence_release": (0, _fence("release")),
    "as_real": (1, _bits(types.float64, types.int64, ir.DoubleType())),
    "as_word": (1, _bits(types.int64, types.float64, I64)),
    "floats_at": (2, _numbers_at(types.float64)),
    "ints_at": (2, _numbers_at(types.int64)),
    "bytes_at": (2, _numbers_at(types.uint8)),
    "load_real4": (1, _load_any(types.float64, ir.FloatType())),
    "store_real4": (2, _store_any(types.float64, ir.FloatType())),
    "load_real8": (1, _load_any(types.float64, ir.DoubleType())),
    "store_real8": (2, _store_any(types.float64, ir.DoubleType())),
    "load_whole": (1, _load_any(types.int64, I64)),
    "store_whole": (2, _store_any(types.int64, I64)),
    "address_of_array": (1, _address_of_array),
    "address_of_record": (1, _address_of_record),
}


@typeof_impl.register(Intrinsic)  # type: ignore[untyped-decorator]
def _typeof_intrinsic(one: Intrinsic, _context: Any) -> Any:
    count, made = INTRINSICS[one.name]
    return _as_called(one, count, made)


@typeof_impl.register(RecordAt)  # type: ignore[untyped-decorator]
def _typeof_record_at(one: RecordAt, _context: Any) -> Any:
    def call(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        return builder.inttoptr(values[0], POINTER)

    kind = numba_type(one.record.record_name)
    return _as_called(one, 1, lambda _arguments: (kind(types.int64), call))


def different_sizes(source: Any, target: Any) -> None:
    """Stands for numba's own, which would compile the making of a text into every kernel that assigns a slice."""
    raise NotImplementedError


@overload(different_sizes)  # type: ignore[untyped-decorator]
def _different_sizes(source: Any, target: Any) -> Any:  # noqa: ARG001
    def fail(source: Any, target: Any) -> None:  # noqa: ARG001
        raise ValueError("a slice of another size")

    return fail


# From a kernel to an object file ------------------------------------------------------------------------------


@contextmanager
def _translating_only(counting: bool) -> Iterator[None]:
    """While it lasts numba neither links, optimises nor loads what it translates; counts who uses memory, or not."""

    def unique(_self: Any, _library: Any, _description: Any, _environment: Any) -> Any:
        nothing: list[Any] = []
        return nothing.append  # a builtin, as it asks for

    def layout_only(self: Any, module: Any) -> None:
        module.data_layout = self._codegen._data_layout

    def close(self: Any) -> None:
        self._finalized = True

    nothing = lambda *_arguments: None  # noqa: E731
    changes: list[tuple[Any, str, Any]] = [
        (codegen.CPUCodeLibrary, "_optimize_functions", layout_only),
        (codegen.CPUCodeLibrary, "finalize", close),
        (cpu.CPUContext, "get_executable", unique),
        (arrayobj, "raise_with_shape_context", different_sizes),
    ]
    if not counting:
        changes += [(NRTContext, "incref", nothing), (NRTContext, "decref", nothing)]
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in changes]
    for owner, name, value in changes:
        setattr(owner, name, value)
    _counting.append(counting)
    try:
        yield
    finally:
        _counting.pop()
        for owner, name, value in before:
            setattr(owner, name, value)


@functools.cache
def _machine() -> Any:
    """The processor that code is made for."""
    level = baseline()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    name = level if level.startswith("x86-64") else "generic"
    return target.create_target_machine(cpu=name, features="", opt=3, reloc="pic", codemodel="default")


def object_code(kernel: Kernel, signature: Signature) -> bytes:
    """Machine code of a kernel as an object file; raises a KernelTypeError with what numba says of code it refuses.

    Arrays in records belong to nobody, so nobody is counted; a kernel that makes arrays is translated once more, with
    counting.
    """
    module = _translated(kernel, signature, counting=False)
    if _makes_arrays(module):
        module = _translated(kernel, signature, counting=True)
    return bytes(_machine().emit_object(module))


def _makes_arrays(module: Any) -> bool:
    return any(function.name in MAKES_ARRAYS for function in module.functions)


def _translated(kernel: Kernel, signature: Signature, counting: bool) -> Any:
    """One module of LLVM's with a kernel, all that is compiled into it, and what Python calls; optimised."""
    from station.kernel.library import symbol_of

    takes, symbol = tuple(numba_type(one) for one in signature.takes), symbol_of(kernel, signature)
    with global_compiler_lock, _translating_only(counting):
        made = _jit(kernel)
        try:
            made.compile(numba_type(signature.returns)(*takes) if signature.returns else takes)
        except numba.core.errors.NumbaError as error:
            raise KernelTypeError(f"{kernel!r}: {COLOURS.sub('', str(error))}") from error
        result = made.overloads[takes]
        returns = signature.returns or _short_form(result.signature.return_type)
        library = result.library
        add_wrapper(library, result, symbol, Signature(signature.takes, returns), kernel)
    module = _linked(library)
    module.get_function(result.fndesc.llvm_func_name).name = symbol
    module.link_in(llvm.parse_assembly(RUNTIME))
    for function in module.functions:
        if not function.is_declaration and function.name not in (symbol, f"{symbol}_py"):
            function.linkage = "internal"
    for variable in module.global_variables:  # of exceptions and environments, which nobody else looks at
        if not variable.is_declaration and variable.linkage != llvm.Linkage.private:
            variable.linkage = "internal"
    _optimise(module)
    return module


def _linked(library: Any) -> Any:
    """One module with the code of a library and of all that it calls, each once."""
    module, pending, seen = library._final_module, list(library._linking_libraries), {library}
    while pending:
        one = pending.pop()
        if one not in seen:
            seen.add(one)
            module.link_in(one._final_module, preserve=True)
            pending += one._linking_libraries
    return module


def _optimise(module: Any) -> None:
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization, options.slp_vectorization = True, False
    builder = llvm.create_pass_builder(_machine(), options)
    manager = builder.getModulePassManager()
    manager.run(module, builder)


def _short_form(kind: Any) -> str:
    """Short form of a type that numba found."""
    if isinstance(kind, types.BaseTuple):
        return f"({', '.join(_short_form(one) for one in kind)})"
    if isinstance(kind, types.IntEnumMember):
        return "i8"
    if isinstance(kind, types.Boolean):
        return "b1"
    if isinstance(kind, types.Integer):
        return "i8"
    if isinstance(kind, types.Float):
        return "f8"
    if kind == types.none:
        return "none"
    raise KernelTypeError(f"a kernel called from Python cannot return {kind}")
