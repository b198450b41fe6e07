"""XML text → elements that know their line and column (which `xml.etree` forgets)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

from station.errors import MadError, Problem
from station.mad.scene import Place, Source

XACRO = "this is xacro, a template of a URDF; run 'xacro in.urdf.xacro > out.urdf' first and load out.urdf"
ROBOT = "a URDF starts with <robot name=…>"
NO_ELEMENTS = expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS]
TAG_MISMATCH = expat.errors.codes[expat.errors.XML_ERROR_TAG_MISMATCH]
UNCLOSED_TOKEN = expat.errors.codes[expat.errors.XML_ERROR_UNCLOSED_TOKEN]


@dataclass(frozen=True, slots=True)
class Element:
    """One XML element; its text is not kept, since a URDF says everything in attributes."""

    tag: str
    attributes: Mapping[str, str]
    place: Place
    children: list[Element] = field(default_factory=list)

    def all(self, tag: str) -> list[Element]:
        """Children of that tag, in file order."""
        return [child for child in self.children if child.tag == tag]

    def first(self, tag: str) -> Element | None:
        """The first child of that tag."""
        return next((child for child in self.children if child.tag == tag), None)


def source_of(element: Element, **parts: Element | None) -> Source:
    """Where a block of the scene comes from, and by field name the elements that filled its entries."""
    return Source(element.place, {name: (part.place,) for name, part in parts.items() if part is not None})


def parse_elements(text: str, file: str) -> Element:
    """The root element of an XML text; raises MadError with the place where the text stops being XML."""
    builder = _Builder(file)
    # A lone surrogate goes through to the parser, which refuses it as any other wrong byte.
    data = text.encode("utf-8", "surrogatepass")
    try:
        builder.parser.Parse(data, True)
    except expat.ExpatError as error:
        raise MadError([Problem(file, error.lineno, error.offset + 1, builder.explain(error.code))]) from None
    return builder.root[0]


class _Builder:
    """Collects elements while the parser runs."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.root: list[Element] = []
        self.open: list[Element] = []
        self.parser = expat.ParserCreate("utf-8")
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.StartDoctypeDeclHandler = self.refuse_doctype

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag.startswith("xacro:") or any("${" in value or "$(" in value for value in attributes.values()):
            self.stop(XACRO)
        element = Element(tag, attributes, self.place())
        (self.open[-1].children if self.open else self.root).append(element)
        self.open.append(element)

    def end(self, _tag: str) -> None:
        self.open.pop()

    def refuse_doctype(self, *_declared: object) -> None:
        # Entities are declared here: they can grow without bound or read other files, and no URDF needs them.
        self.stop("a URDF has no <!DOCTYPE …>; remove it")

    def place(self) -> Place:
        return Place(self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1)

    def stop(self, text: str) -> NoReturn:
        raise MadError([Problem(self.file, *self.place(), text)])

    def explain(self, code: int) -> str:
        """Why the parser stopped, in words for someone who edits a URDF."""
        inside = f"<{self.open[-1].tag}> of line {self.open[-1].place.line}" if self.open else ""
        if code == NO_ELEMENTS:
            return f"the file ends inside {inside}" if inside else f"the file is empty; {ROBOT}"
        if code == UNCLOSED_TOKEN:
            return "the file ends inside a tag or comment"
        if code == TAG_MISMATCH and inside:
            return f"{inside} is not closed before this"
        return f"not XML: {expat.ErrorString(code)}; {ROBOT}"
