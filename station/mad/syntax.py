"""Text → raw blocks: the shape of a MAD file, before any keyword has a meaning."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from threading import Lock
from typing import Any, cast

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from station.cache import cache_home
from station.errors import MadError, Problem

HEADER_HINT = "a MAD file starts with 'RAFF', an optional version and a name: RAFF v2.0 MyScene"

MOST_UNKNOWN = 100  # unknown keywords after which a file is taken for something else

IN_WORDS = {
    "KEY": "a keyword",
    "NAME_KEY": "a keyword",
    "WORD_KEY": "a keyword",
    "NAME": "a name",
    "VERSION": "a version",
    "NUMBER": "a number",
    "STRING": "a quoted string",
    "WORD": "a word",
    "LBRACE": "'{'",
    "RBRACE": "'}'",
    "LPAR": "'('",
    "RPAR": "')'",
    "$END": "the end of the file",
}

# What word processors and PDF viewers put where a program wants plain characters.
LOOKALIKES = {"−": "'-'", "–": "'-'", "—": "'-'", "“": "'\"'", "”": "'\"'", "\xa0": "a space"}


@dataclass(frozen=True, slots=True)
class RawList:
    """`( … )`: numbers, strings and words in file order."""

    items: list[Token]


@dataclass(frozen=True, slots=True)
class RawBlock:
    """`{ … }`: plain numbers, then entries."""

    numbers: list[Token]
    entries: list[RawEntry]


RawValue = Token | RawList | RawBlock


@dataclass(frozen=True, slots=True)
class RawEntry:
    """A keyword with its values; `head` is the name or the word that directly follows it."""

    key: Token
    head: Token | None
    values: list[RawValue]

    @property
    def is_number(self) -> bool:
        """Whether it holds one number and nothing else."""
        only = self.values[0] if len(self.values) == 1 and self.head is None else None
        return isinstance(only, Token) and only.type == "NUMBER"


@dataclass(frozen=True, slots=True)
class RawFile:
    """A whole file: header and top-level entries."""

    version: Token | None
    name: Token
    entries: list[RawEntry]


class _NotMad(Exception):  # noqa: N818 - never leaves this module
    """Too many unknown keywords: reading on would only take time."""


class _Shape(Transformer[Token, RawFile]):
    """Builds the raw blocks while the parser reduces, so no parse tree is kept."""

    known: frozenset[str] = frozenset()
    unknown = 0

    def start(self, children: list[Any]) -> RawFile:
        return RawFile(children[0], children[1], children[2:])

    def entry(self, children: list[Any]) -> RawEntry:
        key, *values = children
        if key not in self.known:
            self.unknown += 1
            if self.unknown > MOST_UNKNOWN:
                raise _NotMad(key)
        if values and isinstance(values[0], Token) and values[0].type in ("WORD", "NAME"):
            return RawEntry(key, values[0], values[1:])
        return RawEntry(key, None, values)

    def block(self, children: list[Any]) -> RawBlock:
        numbers = [child for child in children if isinstance(child, Token)]
        return RawBlock(numbers, children[len(numbers) :])

    def list(self, children: list[Any]) -> RawList:
        return RawList(children)


@cache
def _parser() -> tuple[Lark, _Shape]:
    grammar = files("station.mad").joinpath("mad.lark").read_text(encoding="utf8")
    shape = _Shape()
    return Lark(grammar, parser="lalr", transformer=shape, cache=_tables()), shape


def _tables() -> str | bool:
    """File that keeps the parser's tables, which take longer to make than most files to read; False: nowhere."""
    folder = cache_home()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return str(folder / "mad-parser") if os.access(folder, os.W_OK) else False


_one_at_a_time = Lock()  # the parser is made once, and counts as it goes


def parse(text: str, file: str, known: frozenset[str]) -> RawFile:
    """Parse MAD text; raises MadError with the one place where its shape breaks.

    Args:
        text: the text.
        file: its name in messages.
        known: all keywords there are; a text with too many others is given up.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")  # lark counts lines by \n alone
    try:
        with _one_at_a_time:
            parser, shape = _parser()
            shape.known, shape.unknown = known, 0
            return cast(RawFile, parser.parse(text))
    except _NotMad as stop:
        key = stop.args[0]
        what = f"this does not look like a MAD file: over {MOST_UNKNOWN} unknown keywords up to here"
        raise MadError([Problem(file, key.line, key.column, what)]) from None
    except UnexpectedInput as error:
        line, column, what = _explain(error, text)
        raise MadError([Problem(file, line, column, what)]) from None


def _explain(error: UnexpectedInput, text: str) -> tuple[int, int, str]:
    """Where and why parsing stopped, in words of the language instead of the parser's."""
    if isinstance(error, UnexpectedToken):
        allowed: Iterable[str] = error.accepts
        if error.token.type == "$END":
            return *_end_of(text), _explain_end(set(allowed), text)
    else:
        allowed = cast(UnexpectedCharacters, error).allowed or ()
    rest = text[cast(int, error.pos_in_stream) :].split("\n", 1)[0]
    return error.line, error.column, _explain_stop(rest, set(allowed))


def _explain_stop(rest: str, allowed: set[str]) -> str:
    """Why parsing stopped before `rest`, the remainder of a line."""
    if rest.startswith("/*"):
        return "this comment is never closed; end it with '*/'"
    if rest.startswith('"') and '"' not in rest[1:]:
        return "this string is never closed; a string ends with '\"' on the line it starts on"
    if "RAFF" in allowed:
        return HEADER_HINT
    if rest[0] in LOOKALIKES:
        return f"unexpected character '{rest[0]}' (U+{ord(rest[0]):04X}); write {LOOKALIKES[rest[0]]} instead"
    found = rest[0] if rest[0] in "{}()" or rest[0].isspace() else rest.split()[0][:40]  # such as \x1f
    if "NUMBER" in allowed and (found[0].isdigit() or found[0] in "+-."):
        return f"'{found}' is not a number"
    if not found[0].isprintable():
        found = f"\\x{ord(found[0]):02x}"
    return f"unexpected '{found}'; expected {_in_words(allowed)}"


def _explain_end(allowed: set[str], text: str) -> str:
    if "RAFF" in allowed:
        return f"the file is empty; {HEADER_HINT}" if not text.strip() else HEADER_HINT
    for closing, opening in (("RBRACE", "{"), ("RPAR", "(")):
        if closing in allowed:
            return f"the file ends inside a block; {IN_WORDS[closing]} is missing for an open '{opening}'"
    return f"the file ends too early; expected {_in_words(allowed)}"


def _in_words(terminals: set[str]) -> str:
    names = dict.fromkeys(words for name, words in IN_WORDS.items() if name in terminals)
    return " or ".join([", ".join(list(names)[:-1]), list(names)[-1]]) if len(names) > 1 else "".join(names)


def _end_of(text: str) -> tuple[int, int]:
    return text.count("\n") + 1, len(text) - (text.rfind("\n") + 1) + 1
