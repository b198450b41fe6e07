"""What kernels can do and Python cannot: words that processes share, and memory by its address.

The order of loads and stores is that of C11. A store with `release` makes all that was written before visible to
whoever sees it by a load with `acquire`. Addresses are in bytes and multiples of 8.
"""

from __future__ import annotations

from typing import Any

from station.kernel.record import Record
from station.kernel.types import KernelTypeError


class Intrinsic:
    """A function that the compiler knows by its name; `station.kernel.compiler` says what it becomes."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *_arguments: Any) -> Any:
        """In kernels only."""
        raise KernelTypeError(f"{self.name} is for kernels only")

    def key_text(self) -> str:
        """For keys; what it becomes is in the key of all."""
        return f"intrinsic {self.name}"


load_acquire = Intrinsic("load_acquire")  # (address) -> word
load_relaxed = Intrinsic("load_relaxed")
store_release = Intrinsic("store_release")  # (address, word)
store_relaxed = Intrinsic("store_relaxed")
fence_acquire = Intrinsic("fence_acquire")  # (): no later load passes it
fence_release = Intrinsic("fence_release")  # (): no earlier store passes it
as_real = Intrinsic("as_real")  # (word) -> the same bits as a real number
as_word = Intrinsic("as_word")  # (real number) -> the same bits as a word
floats_at = Intrinsic("floats_at")  # (address, count) -> Floats
ints_at = Intrinsic("ints_at")  # (address, count) -> Ints
bytes_at = Intrinsic("bytes_at")  # (address, count) -> Bytes
load_real4 = Intrinsic("load_real4")  # (address) -> a real number of 4 bytes; these four at any address
store_real4 = Intrinsic("store_real4")  # (address, real number)
load_real8 = Intrinsic("load_real8")
store_real8 = Intrinsic("store_real8")
load_whole = Intrinsic("load_whole")  # (address) -> a whole number of 8 bytes, at any address
store_whole = Intrinsic("store_whole")
address_of_array = Intrinsic("address_of_array")  # (array) -> address of its first element
address_of_record = Intrinsic("address_of_record")  # (record) -> its address


class RecordAt:
    """A record by its address, for kernels that know no more: `robot_at = RecordAt(Robot)`, `robot_at(address)`."""

    def __init__(self, record: type[Record]) -> None:
        self.record = record

    def __call__(self, _address: int) -> Any:
        """In kernels only."""
        raise KernelTypeError("records are found by address in kernels only")

    def key_text(self) -> str:
        """For keys."""
        from station.kernel.key import record_text

        return f"record at {record_text(self.record)}"
