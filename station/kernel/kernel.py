"""`@kernel` and `@entry`: functions that are compiled; and calls by address.

    @kernel
    def square(x: float) -> float:             # called by other kernels: compiled into them
        return x * x

    @entry
    def distance(a: Floats1, b: Floats1) -> float:      # called by Python, or by address: compiled on its own
        return math.sqrt(square(a[0] - b[0]) + square(a[1] - b[1]))

An entry is machine code in a file of its own, named after all that it depends on (`station.kernel.key`), so that it is
compiled once, loaded without the compiler, and never older than its source. Entries call each other as in C. Any other
kernel may be called from Python, too, which is handy in tests: it is compiled then and there.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast, overload

from station.kernel.types import KernelTypeError, Signature, signature_of, text_of, text_of_value

Function = TypeVar("Function", bound=Callable[..., Any])

ENTRIES: list[Kernel] = []  # all that were declared in modules that are loaded


class Kernel:
    """A compiled function. Calls go to machine code; what is needed is loaded or compiled at the first."""

    is_kernel = True

    def __init__(self, function: Any, *, is_entry: bool = False, inline: bool = True, nogil: bool = False) -> None:
        functools.update_wrapper(self, function)
        self.function, self.is_entry, self.is_inline, self.releases_gil = function, is_entry, inline, nogil
        self.key: str | None = None  # set by station.kernel.key
        self._native: Callable[..., Any] | None = None
        self._variants: dict[tuple[str, ...], Callable[..., Any]] = {}
        self._signature: Signature | None = None

    def __call__(self, *arguments: Any) -> Any:
        """Run the machine code."""
        if self._native is not None:
            return self._native(*arguments)
        if self.is_entry:
            return self.native(*arguments)
        takes = tuple(text_of_value(one) for one in arguments)
        if takes not in self._variants:
            from station.kernel.library import load_variant

            self._variants[takes] = load_variant(self, takes)
        return self._variants[takes](*arguments)

    @property
    def signature(self) -> Signature:
        """By annotations."""
        if self._signature is None:
            self._signature = signature_of(self.function)
        return self._signature

    @property
    def native(self) -> Callable[..., Any]:
        """The machine code as a function of Python's own kind, for callers in a hurry."""
        if self._native is None:
            from station.kernel.library import load

            self._native = load(self).function
        return self._native

    @property
    def address(self) -> int:
        """Where the machine code begins; good for as long as this process lives."""
        from station.kernel.library import load

        return load(self).address

    def __repr__(self) -> str:
        return f"<{'entry' if self.is_entry else 'kernel'} {self.function.__module__}.{self.function.__qualname__}>"


def kernel(function: Function) -> Function:
    """Compile a function into the kernels that call it."""
    return cast(Function, Kernel(function))


@overload
def entry(function: Function, /) -> Function: ...


@overload
def entry(*, inline: bool = False, nogil: bool = False) -> Callable[[Function], Function]: ...


def entry(function: Any = None, /, *, inline: bool = False, nogil: bool = False) -> Any:
    """Compile a function on its own, to be called by Python, by other kernels or by address.

    Args:
        function: what to compile.
        inline: kernels that call it have it compiled into them, as for what is small and called often.
        nogil: other threads of Python run meanwhile, as for what takes long or waits.
    """

    def declare(function: Any) -> Any:
        made = Kernel(function, is_entry=True, inline=inline, nogil=nogil)
        ENTRIES.append(made)
        return made

    return declare if function is None else declare(function)


def load_now(*functions: Callable[..., Any]) -> None:
    """Load entries, or compile them, before they are called for the first time."""
    for function in functions:
        _ = cast(Kernel, function).native


class Callback:
    """A kind of kernel that is called by address; the whole signature is checked where the address is taken.

    RECEIVE = Callback(int, Memory, float)              # returns, then takes
    place = RECEIVE.address_of(receive)

    @kernel
    def tick(place: int, memory: Memory) -> int:
        return RECEIVE(place, memory, 0.001)            # in kernels only
    """

    def __init__(self, returns: Any, *takes: Any) -> None:
        self.signature = Signature(tuple(text_of(one) for one in takes), text_of(returns))

    def address_of(self, function: Callable[..., Any]) -> int:
        """Address of a kernel of this kind."""
        made = cast(Kernel, function)
        if made.signature != self.signature:
            raise KernelTypeError(f"{made!r} is {made.signature}, wanted: {self.signature}")
        return made.address

    def __call__(self, _address: int, *_arguments: Any) -> Any:
        """In kernels: call what is there."""
        raise KernelTypeError("callbacks are called by kernels only")

    def key_text(self) -> str:
        """For keys."""
        return f"callback {self.signature}"


class CFunction:
    """A function of C: of the C library by its symbol, or of another library by its address.

    Types are i4, i8, f8 and none; addresses are i8. With an address, `f(address, …)`; with a symbol, `f(…)`.
    """

    def __init__(self, returns: str, *takes: str, symbol: str = "") -> None:
        self.returns, self.takes, self.symbol = returns, takes, symbol

    def __call__(self, *_arguments: Any) -> Any:
        """In kernels: call it."""
        raise KernelTypeError("functions of C are called by kernels only")

    def key_text(self) -> str:
        """For keys."""
        return f"C {self.symbol} {self.returns} {self.takes}"
