"""What Python calls: for every entry a function of Python's own kind, made together with the machine code.

It takes its arguments as Python's fastest convention has them (METH_FASTCALL), looks at the type of each, calls the
machine code and makes an object of the result. It takes some 50 ns, a tenth of what ctypes needs, and never loads the
compiler. Its first argument is a tuple of what it cannot know: the type of arrays, the name `address`, record types.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils

from station.kernel.kernel import Kernel
from station.kernel.types import Signature, parts_of

I1, I8, I32, I64, REAL = ir.IntType(1), ir.IntType(8), ir.IntType(32), ir.IntType(64), ir.DoubleType()
OBJECT = I8.as_pointer()

# Where things are in objects of Python and numpy [bytes]: parts of their binary interfaces.
TYPE_OF_OBJECT, ITEMS_OF_TUPLE = 8, 24
ARRAY_DATA, ARRAY_DIMENSIONS, ARRAY_SIZES, ARRAY_DESCRIPTION, ARRAY_FLAGS = 16, 24, 32, 56, 64
DESCRIPTION_ORDER, DESCRIPTION_NUMBER = 26, 28
IN_ONE_PIECE, ALIGNED = 0x1, 0x100
NUMBERS = {"b1": 0, "u1": 2, "i8": 7, "f8": 12}  # numpy's numbers of element types
WORDS = {"b1": "bool", "u1": "uint8", "i8": "int64", "f8": "float64"}

API = {
    "PyLong_AsLongLong": (I64, [OBJECT]),
    "PyFloat_AsDouble": (REAL, [OBJECT]),
    "PyObject_IsTrue": (I32, [OBJECT]),
    "PyErr_Occurred": (OBJECT, []),
    "PyErr_SetString": (ir.VoidType(), [OBJECT, OBJECT]),
    "PyFloat_FromDouble": (OBJECT, [REAL]),
    "PyLong_FromLongLong": (OBJECT, [I64]),
    "PyBool_FromLong": (OBJECT, [I64]),
    "Py_BuildValue": (OBJECT, [OBJECT]),
    "PyTuple_New": (OBJECT, [I64]),
    "PyTuple_SetItem": (I32, [OBJECT, I64, OBJECT]),
    "PyTuple_Size": (I64, [OBJECT]),
    "PyTuple_GetItem": (OBJECT, [OBJECT, I64]),
    "PyType_IsSubtype": (I32, [OBJECT, OBJECT]),
    "PyObject_GetAttr": (OBJECT, [OBJECT, OBJECT]),
    "Py_DecRef": (ir.VoidType(), [OBJECT]),
    "PyEval_SaveThread": (OBJECT, []),
    "PyEval_RestoreThread": (ir.VoidType(), [OBJECT]),
}

ARRAY_TYPE, ADDRESS_NAME, FIRST_RECORD = 0, 1, 2  # places in the first argument


def add_wrapper(library: Any, result: Any, symbol: str, signature: Signature, kernel: Kernel) -> None:
    """Add the function that Python calls to the library of a compiled kernel."""
    context = result.target_context
    module = library.create_ir_module(f"{symbol}_wrapper")
    kind = ir.FunctionType(OBJECT, [OBJECT, OBJECT.as_pointer(), I64])
    function = ir.Function(module, kind, f"{symbol}_py")
    _Wrapper(context, module, function, kernel.function).fill(result, signature, kernel.releases_gil)
    library.add_ir_module(module)


class _Wrapper:
    """One such function while it is made."""

    def __init__(self, context: Any, module: Any, function: Any, python: Any) -> None:
        self.context, self.module, self.function = context, module, function
        self.builder = ir.IRBuilder(function.append_basic_block("entry"))
        code = python.__code__
        self.name, self.names = python.__name__, code.co_varnames[: code.co_argcount]
        self.records: list[str] = []

    def fill(self, result: Any, signature: Signature, releases_gil: bool) -> None:
        """Arguments in, call, result out."""
        builder, (own, arguments, count) = self.builder, self.function.args
        self.own = own
        wrong = builder.icmp_signed("!=", count, I64(len(signature.takes)))
        self._fail_if(wrong, f"{self.name} takes {len(signature.takes)} arguments: {', '.join(self.names)}")
        values = []
        for number, text in enumerate(signature.takes):
            given = builder.load(builder.gep(arguments, [I64(number)]))
            values.append(self._value(given, text, f"{self.name}: {self.names[number]}"))
        target = self.context.declare_function(self.module, result.fndesc)
        returns, takes = result.signature.return_type, result.signature.args
        if releases_gil:
            thread = self._call("PyEval_SaveThread")
        status, answer = self.context.call_conv.call_function(builder, target, returns, takes, values)
        if releases_gil:
            self._call("PyEval_RestoreThread", thread)
        self._fail_if(status.is_error, f"{self.name} raised", "PyExc_RuntimeError")
        builder.ret(self._object(answer, signature.returns))

    # From objects -------------------------------------------------------------------------------------------

    def _value(self, given: Any, text: str, what: str) -> Any:
        if text in ("f8", "i8", "b1"):
            return self._number(given, text)
        if text[0] == "(":
            return self._tuple(given, text, what)
        return self._array(given, text, what) if "[" in text else self._record(given, text, what)

    def _number(self, given: Any, text: str) -> Any:
        builder = self.builder
        if text == "b1":
            truth = self._call("PyObject_IsTrue", given)
            self._give_up_if(builder.icmp_signed("<", truth, I32(0)))
            return builder.icmp_signed("!=", truth, I32(0))
        value = self._call("PyFloat_AsDouble" if text == "f8" else "PyLong_AsLongLong", given)
        odd = (
            builder.fcmp_ordered("==", value, REAL(-1.0)) if text == "f8" else builder.icmp_signed("==", value, I64(-1))
        )
        with builder.if_then(odd, likely=False):
            self._give_up_if(builder.icmp_unsigned("!=", self._call("PyErr_Occurred"), OBJECT(None)))
        return value

    def _tuple(self, given: Any, text: str, what: str) -> Any:
        builder, parts = self.builder, parts_of(text)
        size = self._call("PyTuple_Size", given)
        self._give_up_if(builder.icmp_signed("<", size, I64(0)))
        self._fail_if(builder.icmp_signed("!=", size, I64(len(parts))), f"{what} is a tuple of {len(parts)}")
        values = [
            self._value(self._call("PyTuple_GetItem", given, I64(number)), part, what)
            for number, part in enumerate(parts)
        ]
        if len(set(parts)) == 1:
            return cgutils.pack_array(builder, values)
        return cgutils.pack_struct(builder, values)

    def _array(self, given: Any, text: str, what: str) -> Any:
        from station.kernel.compiler import _array_at, numba_type

        builder = self.builder
        element, _, rest = text.partition("[")
        dimensions = rest.count(":")
        message = (
            f"{what} is a C-contiguous array of {WORDS[element]} with {dimensions} dimension{'s' * (dimensions > 1)}"
        )
        kind, wanted = self._load(given, TYPE_OF_OBJECT, OBJECT), self._own(ARRAY_TYPE)
        with builder.if_then(builder.icmp_unsigned("!=", kind, wanted), likely=False):
            self._fail_if(builder.icmp_signed("==", self._call("PyType_IsSubtype", kind, wanted), I32(0)), message)
        described = self._load(given, ARRAY_DESCRIPTION, OBJECT)
        flags = builder.and_(self._load(given, ARRAY_FLAGS, I32), I32(IN_ONE_PIECE | ALIGNED))
        fits = builder.icmp_signed("==", self._load(given, ARRAY_DIMENSIONS, I32), I32(dimensions))
        fits = builder.and_(fits, builder.icmp_signed("==", flags, I32(IN_ONE_PIECE | ALIGNED)))
        number = self._load(described, DESCRIPTION_NUMBER, I32)
        fits = builder.and_(fits, builder.icmp_signed("==", number, I32(NUMBERS[element])))
        order = self._load(described, DESCRIPTION_ORDER, I8)
        fits = builder.and_(fits, builder.icmp_signed("!=", order, I8(ord(">"))))
        self._fail_if(builder.not_(fits), message)
        sizes = self._load(given, ARRAY_SIZES, I64.as_pointer())
        shape = [builder.load(builder.gep(sizes, [I64(number)])) for number in range(dimensions)]
        return _array_at(self.context, builder, self._load(given, ARRAY_DATA, OBJECT), numba_type(text), shape)

    def _record(self, given: Any, text: str, what: str) -> Any:
        builder = self.builder
        if text not in self.records:
            self.records.append(text)
        wanted = self._own(FIRST_RECORD + self.records.index(text))
        wrong = builder.icmp_unsigned("!=", self._load(given, TYPE_OF_OBJECT, OBJECT), wanted)
        self._fail_if(wrong, f"{what} is a {text.rpartition('.')[2]}")
        address = self._call("PyObject_GetAttr", given, self._own(ADDRESS_NAME))
        self._give_up_if(builder.icmp_unsigned("==", address, OBJECT(None)))
        value = self._call("PyLong_AsLongLong", address)
        self._call("Py_DecRef", address)
        return builder.inttoptr(value, OBJECT)

    # To objects ---------------------------------------------------------------------------------------------

    def _object(self, value: Any, text: str) -> Any:
        builder = self.builder
        if text == "f8":
            return self._call("PyFloat_FromDouble", value)
        if text == "i8":
            whole = value if value.type == I64 else builder.sext(value, I64)
            return self._call("PyLong_FromLongLong", whole)
        if text == "b1":
            return self._call("PyBool_FromLong", value if value.type == I64 else builder.zext(value, I64))
        if text == "none":
            return self._call("Py_BuildValue", self._text(""))
        made = self._call("PyTuple_New", I64(len(parts_of(text))))
        for number, part in enumerate(parts_of(text)):
            self._call("PyTuple_SetItem", made, I64(number), self._object(builder.extract_value(value, number), part))
        return made

    # Small things -------------------------------------------------------------------------------------------

    def _call(self, name: str, *values: Any) -> Any:
        returns, takes = API[name]
        variadic = name == "Py_BuildValue"
        target = cgutils.get_or_insert_function(self.module, ir.FunctionType(returns, takes, var_arg=variadic), name)
        return self.builder.call(target, values)

    def _load(self, base: Any, offset: int, kind: Any) -> Any:
        place = self.builder.gep(base, [I64(offset)])
        return self.builder.load(self.builder.bitcast(place, kind.as_pointer()))

    def _own(self, place: int) -> Any:
        return self._load(self.own, ITEMS_OF_TUPLE + 8 * place, OBJECT)

    def _text(self, text: str) -> Any:
        return self.context.insert_const_string(self.module, text)

    def _give_up_if(self, condition: Any) -> None:
        with self.builder.if_then(condition, likely=False):
            self.builder.ret(OBJECT(None))

    def _fail_if(self, condition: Any, message: str, error: str = "PyExc_TypeError") -> None:
        with self.builder.if_then(condition, likely=False):
            kind = self.module.globals.get(error) or ir.GlobalVariable(self.module, OBJECT, error)
            self._call("PyErr_SetString", self.builder.load(kind), self._text(message))
            self.builder.ret(OBJECT(None))
