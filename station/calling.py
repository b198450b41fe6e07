"""Calling compiled functions by address: parts that were compiled apart work together without being compiled again.

A kernel that calls another by name is compiled with it, which for the solver takes minutes. By address it costs none:

    STEP = Signature(types.int64, types.int64, types.float64)    # what it returns, then what it takes
    call_step = by_address(STEP)
    place = address_of(step, STEP)                                # compiles `step`, or loads it

    @kernel
    def tick(step_place, mem):
        return call_step(step_place, (mem, 0.001))

Only plain numbers go in and out: arrays are reached by addresses of memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import types
from numba.extending import intrinsic


class Signature:
    """What a compiled function returns and takes."""

    def __init__(self, returns: Any, *takes: Any) -> None:
        self.returns, self.takes = returns, takes

    def __repr__(self) -> str:
        return f"({', '.join(map(str, self.takes))}) -> {self.returns}"


def address_of(function: Callable[..., Any], signature: Signature) -> int:
    """Where the machine code of a kernel is; compiled or loaded now. Good for as long as this process lives."""
    function.compile(signature.takes)  # type: ignore[attr-defined]
    compiled = function.overloads[signature.takes]  # type: ignore[attr-defined]
    if compiled.signature.return_type != signature.returns:
        raise TypeError(f"{function.__name__} returns {compiled.signature.return_type}; {signature} was said")
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))


def by_address(signature: Signature) -> Any:
    """For use in kernels: `call(address, (values, …))`. What is there has to be of this signature."""
    returns, takes = signature.returns, signature.takes

    @intrinsic  # type: ignore[untyped-decorator]
    def call(_typing: Any, _address: Any, _values: Any) -> Any:
        def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            convention = context.call_conv
            place = builder.inttoptr(arguments[0], convention.get_function_type(returns, takes).as_pointer())
            values = [builder.extract_value(arguments[1], number) for number in range(len(takes))]
            # Kernels of ours do not raise: there is nothing in the status.
            _status, result = convention.call_function(builder, place, returns, takes, values)
            return result

        return returns(types.int64, types.Tuple(takes)), generate

    return call
