"""How the scene model says what a MAD file may hold.

Each field of a class in `scene/` that stands for a keyword carries an `Entry`: keyword, kind of value, unit, sign,
the language version it came with, and one sentence. Reader, writer and manual all work from these entries, so a
keyword is described in one place only.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import MISSING, dataclass
from enum import Enum
from typing import Any

from station.mad.units import SMALLEST, Unit

MOST_CAM_POINTS = 1000
CLOSEST_CAM_POINTS = 1e-9  # along the leader's axis [rad | m]: one can still divide by it
MOST_COEFFICIENTS = 10  # of a polynomial: higher ones need tables


class Sign(Enum):
    """Which numbers make sense; the value is said in messages."""

    ANY = "any number"
    NOT_NEGATIVE = "at least 0"
    POSITIVE = "more than 0"


def allowed(value: float, sign: Sign) -> bool:
    """Whether a number has the sign that it must have."""
    return sign is Sign.ANY or value >= (0.0 if sign is Sign.NOT_NEGATIVE else SMALLEST)


@dataclass(frozen=True)
class Number:
    """`speed 180`."""

    unit: Unit = Unit.NONE
    sign: Sign = Sign.ANY


@dataclass(frozen=True)
class Integer:
    """`pred 0`."""


@dataclass(frozen=True)
class Freedoms:
    """`translation 3`: how many of three directions there are.

    The later spellings are older words, that also were a factor: a number that is no count there, and any in a block
    `device`, still is, and fills the entry `factor`.
    """

    factor: str


@dataclass(frozen=True)
class Text:
    """`address "sim:arm"`."""


@dataclass(frozen=True)
class Word:
    """`reference tool`: one member of `choices` by its lower-case name, or any word where there are none."""

    choices: type[Enum] | None = None


@dataclass(frozen=True)
class WordOrInteger:
    """`priority place` or `priority 2`: a member of `choices` by its lower-case name, or a whole number."""

    choices: type[Enum]


@dataclass(frozen=True)
class JointKind:
    """`type 2` or, in 2.0, `type revolute`."""


@dataclass(frozen=True)
class Flag:
    """`passive`: true when it stands there."""


@dataclass(frozen=True)
class Numbers:
    """`pos { 0 0 100 }`, or with labels in any order `pos { z 100 x 0 y 0 }`; `make` is the NamedTuple it becomes.

    Labels past the first `least` may be left out and take the NamedTuple's defaults. `older` are spellings that are
    read and not written: label by spelling.
    """

    make: type[Any]
    units: tuple[Unit, ...]
    least: int
    sign: Sign = Sign.ANY
    older: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the numbers in their order."""
        return tuple(self.make._fields)

    def label(self, word: str) -> str:
        """The label that a word stands for; itself where it is none of the older ones."""
        return self.older.get(word, word)


@dataclass(frozen=True)
class NumberList:
    """`distortion ( 0.1 -0.2 )`."""

    unit: Unit = Unit.NONE


@dataclass(frozen=True)
class Ids:
    """`joints ( 1 2 3 )`."""


@dataclass(frozen=True)
class Words:
    """`axes ( x y rz )`."""

    choices: type[Enum]


@dataclass(frozen=True)
class Files:
    """`filename ( "arm.nff" auto )`."""


@dataclass(frozen=True)
class JointValues:
    """`( link 1 30  link 2 -45 )`: one joint value per link."""


@dataclass(frozen=True)
class Ratios:
    """`( link 1 0.5 )`: for each link, how far the block's own joint moves per unit of that link's joint."""


@dataclass(frozen=True)
class CamTable:
    """`( 0 0  90 20 )`: pairs of a value of the block's leader and one of its own joint, the first ones rising."""


@dataclass(frozen=True)
class Coefficients:
    """`( 5 0.5 0.01 )`: of a polynomial, in the units of the block's own joint and of its leader."""


@dataclass(frozen=True)
class Reference:
    """`link 5`: the keyword tells which sort of thing the id must name; `robot left` before it: of which robot."""

    robots: bool = False  # whether a robot is named, too


@dataclass(frozen=True)
class Block:
    """A nested block; `item` is the class it becomes."""

    item: type[Any]
    presets: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)  # keyword → fields it implies


Kind = (
    Number
    | Integer
    | Freedoms
    | Text
    | Word
    | WordOrInteger
    | JointKind
    | Flag
    | Numbers
    | NumberList
    | Ids
    | Words
    | Files
    | JointValues
    | Ratios
    | CamTable
    | Coefficients
    | Reference
    | Block
)


@dataclass(frozen=True)
class Entry:
    """One keyword of a block, with everything that reader, writer and manual need to know of it."""

    keys: tuple[str, ...]  # the first is the one 2.0 writes; all are read
    kind: Kind
    help: str
    since: int = 1  # major version of MAD that brought it
    many: bool = False  # may stand several times: the field is a tuple
    rank: int = 0  # entries of higher rank are written later
    field: str = ""  # filled by `layout_of`
    required: bool = False  # filled by `layout_of`
    default: Any = None  # filled by `layout_of`


class Head(Enum):
    """What stands between a block's keyword and its `{`."""

    NOTHING = ""
    ID = "Id"
    NAME = "Name"


def entry(
    keys: str,
    kind: Kind,
    help: str,  # noqa: A002 - the word every reader expects
    *,
    default: Any = MISSING,
    since: int = 1,
    many: bool = False,
    rank: int = 0,
) -> Any:
    """A dataclass field for one keyword (several spellings: separated by spaces, newest first)."""
    described = Entry(tuple(keys.split()), kind, help, since, many, rank)
    if many and default is MISSING:
        default = ()
    return dataclasses.field(default=default, metadata={"entry": described})


def head(what: Head) -> Any:
    """A dataclass field for the id or name of a block."""
    return dataclasses.field(metadata={"head": what})


@dataclass(frozen=True)
class Layout:
    """All that a block may hold."""

    head: Head
    entries: tuple[Entry, ...]  # in the order in which they are written
    keywords: Mapping[str, Entry]  # by every spelling


_layouts: dict[type[Any], Layout] = {}


def layout_of(item: type[Any]) -> Layout:
    """The layout of the block that becomes an `item`."""
    if item not in _layouts:
        specs = dataclasses.fields(item)
        heads = [spec.metadata["head"] for spec in specs if "head" in spec.metadata]
        entries = sorted(
            (_described(spec) for spec in specs if "entry" in spec.metadata), key=lambda described: described.rank
        )
        keywords = {key: described for described in entries for key in described.keys}
        _layouts[item] = Layout(heads[0] if heads else Head.NOTHING, tuple(entries), keywords)
    return _layouts[item]


def _described(spec: dataclasses.Field[Any]) -> Entry:
    required = spec.default is MISSING
    described: Entry = spec.metadata["entry"]
    return dataclasses.replace(
        described, field=spec.name, required=required, default=None if required else spec.default
    )


def keywords_under(item: type[Any]) -> frozenset[str]:
    """Every word that may open an entry in this block, in the blocks inside it, or in their groups of numbers."""
    layout = layout_of(item)
    found = set(layout.keywords)
    for described in layout.entries:
        if isinstance(described.kind, Block):
            found |= keywords_under(described.kind.item)
        elif isinstance(described.kind, Numbers):
            found |= {*described.kind.labels, *described.kind.older}
    return frozenset(found)
