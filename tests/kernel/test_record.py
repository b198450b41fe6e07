"""Records: one declaration, the same names in Python and in machine code."""

from __future__ import annotations

import enum

import numpy as np
import pytest

from station.kernel import Bools1, Floats1, Floats2, Ints1, KernelTypeError, Record, field, kernel, reference


class Way(enum.IntEnum):
    FREE = 0
    BOUND = 3


class Alarm(enum.IntFlag):
    NONE = 0
    HOT = 1
    WORN = 4


class Watch(Record):
    """What is wrong, and how often it was."""

    alarm: Alarm
    counts: Ints1 = field(shape=5)


class Point(Record):
    """A place."""

    place: Floats1 = field("m", "in the world", shape=3)
    known: bool


class Brake(Record):
    """A brake of some joints."""

    closed: bool
    wear: float = field("m", "of the lining", default=2.5)
    way: Way
    turns: int = field(default=-7)
    pose: Floats2 = field("m", shape=(3, 4))
    loads: Floats1 = field("N", "by joint", shape="n")
    table: Floats2 = field(shape=("n", "n+1"), default=0.5)
    counts: Ints1 = field(shape="c + n")
    held: Bools1 = field(shape=5)
    point: Point


class Holder(Record):
    """Knows a brake."""

    brake: Brake = reference()
    looks: int


@kernel
def look_after(watch: Watch, hot: bool) -> int:
    found = Alarm.WORN
    found |= Alarm.HOT if hot else Alarm.NONE
    if found & (Alarm.HOT | Alarm.WORN) == Alarm.HOT | Alarm.WORN:
        watch.counts[Way.BOUND] += 1
    watch.alarm = found
    watch.counts[Alarm.WORN] += 1
    return found


@kernel
def use(brake: Brake, on: bool) -> tuple[int, int, float]:
    brake.closed = on
    brake.wear += 0.5
    if brake.way == Way.FREE:
        brake.way = Way.BOUND
    brake.turns -= 1
    brake.pose[1, 2] = 7.0
    for i in range(brake.loads.size):
        brake.loads[i] = i
    brake.counts[brake.counts.size - 1] = 9
    brake.held[4] = on
    brake.point.place[1] = 3.0
    brake.point.known = not on
    return brake.table.shape[0], brake.table.shape[1], brake.table[0, 1]


@kernel
def look(holder: Holder) -> float:
    holder.looks += 1
    return holder.brake.wear


def test_a_new_record_is_zero_but_for_its_defaults() -> None:
    brake = Brake(n=3, c=2)
    assert (brake.closed, brake.wear, brake.way, brake.turns) == (False, 2.5, Way.FREE, -7)
    assert isinstance(brake.closed, bool)
    assert isinstance(brake.way, Way)
    assert brake.table.shape == (3, 4)
    assert np.all(brake.table == 0.5)
    assert brake.counts.shape == (5,)
    assert not brake.loads.any()
    assert brake.address % 64 == 0
    assert brake.loads.ctypes.data % 64 == 0


def test_machine_code_and_python_see_the_same() -> None:
    brake = Brake(n=3, c=2)
    assert use(brake, True) == (3, 4, 0.5)
    assert (brake.closed, brake.wear, brake.way, brake.turns) == (True, 3.0, Way.BOUND, -8)
    assert brake.pose[1, 2] == 7.0
    assert brake.loads.tolist() == [0.0, 1.0, 2.0]
    assert brake.counts.tolist() == [0, 0, 0, 0, 9]
    assert brake.held.tolist() == [False] * 4 + [True]
    assert brake.point.place.tolist() == [0.0, 3.0, 0.0]
    assert brake.point.known is False
    brake.way, brake.closed = Way.FREE, False
    use(brake, False)
    assert brake.way is Way.BOUND
    assert brake.point.known is True


def test_a_reference_is_another_record_and_keeps_it() -> None:
    holder = Holder()
    assert bytes(holder) == bytes(16)  # no address yet
    holder.brake = Brake(n=1, c=0, wear=4.0)
    assert look(holder) == 4.0
    holder.brake.wear = 5.0
    assert look(holder) == 5.0
    assert holder.looks == 2
    with pytest.raises(KernelTypeError, match=r"Holder.brake: a Brake"):
        holder.brake = Point()  # type: ignore[assignment]


def test_values_and_sizes_may_be_given_and_arrays_tell_sizes() -> None:
    brake = Brake(loads=[1.0, 2.0], c=1, wear=0.25, way=Way.BOUND)
    assert brake.loads.tolist() == [1.0, 2.0]
    assert brake.table.shape == (2, 3)
    assert (brake.wear, brake.way) == (0.25, Way.BOUND)


def test_copies_are_apart_and_equal_until_one_changes() -> None:
    brake = Brake(n=2, c=0, wear=1.0)
    use(brake, True)
    other = brake.copy()
    assert other == brake
    other.loads[0] = 3.0
    assert brake.loads[0] == 0.0
    assert other != brake
    other.take(brake)
    assert other == brake
    brake.reset()
    assert brake == Brake(n=2, c=0)
    assert bytes(brake) == bytes(Brake(n=2, c=0))


def test_a_record_may_lie_in_memory_of_others() -> None:
    memory = np.zeros(Point.fixed_size, np.uint8)
    first, second = Point(memory), Point(memory)
    first.place[2] = 1.5
    first.known = True
    assert second.place[2] == 1.5
    assert second.known
    table = np.zeros(4, Point.dtype())
    table["place"][1] = (1.0, 2.0, 3.0)
    row = Point(table.view(np.uint8)[Point.fixed_size : 2 * Point.fixed_size])
    assert row.place.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: Brake(n=3), "size c is missing; there are: n"),
        (lambda: Brake(n=3, c=1, x=2), "Brake has no size x"),
        (lambda: Point(np.zeros(8, np.uint8)), "Point takes 32 bytes, there are 8"),
        (lambda: Brake(n=1, c=1).take(Brake(n=2, c=1)), "cannot take Brake of another size"),
        (Brake.dtype, r"Brake.loads has no place of its own"),
    ],
)
def test_what_does_not_fit_is_said(wrong: object, said: str) -> None:
    with pytest.raises(KernelTypeError, match=said):
        wrong()  # type: ignore[operator]


def test_a_misspelt_field_is_refused_with_those_there_are() -> None:
    with pytest.raises(AttributeError, match="Point has no field plaec; it has: place, known"):
        Point().plaec = 1


def test_declarations_that_mean_nothing_are_refused() -> None:
    with pytest.raises(KernelTypeError, match=r"a.x: f8\[:\] needs a shape of 1 sizes"):
        type("a", (Record,), {"__annotations__": {"x": Floats1}, "__module__": __name__})
    with pytest.raises(KernelTypeError, match=r"a.x: f8 has no shape"):
        type("a", (Record,), {"__annotations__": {"x": float}, "x": field(shape=3), "__module__": __name__})
    with pytest.raises(KernelTypeError, match="say how many dimensions"):
        type("a", (Record,), {"__annotations__": {"x": str}, "__module__": __name__})


def test_members_of_enums_and_flags_are_whole_numbers_that_count_and_combine() -> None:
    watch = Watch()
    assert (look_after(watch, False), watch.alarm) == (4, Alarm.WORN)
    assert (look_after(watch, True), watch.alarm) == (5, Alarm.HOT | Alarm.WORN)
    assert watch.counts.tolist() == [0, 0, 0, 1, 2]


class Heap(Record):
    """What can be more or less."""

    count: int
    row: Floats1 = field(shape="r")
    table: Floats2 = field(shape=("r+1", "n"))


@kernel
def total(heap: Heap) -> float:
    value = 0.0
    for i in range(heap.row.size):
        value += heap.row[i]
    rows: int = heap.table.shape[0]
    return value + 100.0 * rows


def test_arrays_are_used_up_to_other_sizes() -> None:
    heap = Heap(r=4, n=2)
    heap.row[:], heap.table[:] = 1.0, np.arange(10.0).reshape(5, 2)
    assert total(heap) == 504.0
    heap.resize(r=2)
    assert (heap.row.shape, heap.table.shape, total(heap)) == ((2,), (3, 2), 302.0)
    np.testing.assert_array_equal(heap.table, np.arange(6.0).reshape(3, 2))
    twin = heap.copy()
    assert (twin.row.shape, total(twin)) == ((2,), 302.0)
    heap.resize(r=0)
    assert total(heap) == 100.0
    heap.take(twin)
    assert (heap.row.shape, total(heap)) == ((2,), 302.0)
    heap.resize(r=4)
    np.testing.assert_array_equal(heap.table[3:], [[6.0, 7.0], [8.0, 9.0]])  # what was there is there
    with pytest.raises(KernelTypeError, match="made for"):
        heap.resize(r=5)
    with pytest.raises(KernelTypeError, match="made for"):
        heap.resize(n=1)
