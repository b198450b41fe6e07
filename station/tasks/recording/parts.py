"""Where the parts of a servo, or the robots of a task, are in a file: the first as ever, further ones in folders."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from station.json_reader import parse_json

METADATA = "parts"  # only where there are several
TAKEN = ("device", "episode")  # folders of the first part's own channels
OWN = ("servo", "layout", "device", "calibration", "task", "verified")  # metadata that each part has


class PartPlace(NamedTuple):
    """Where a part is."""

    name: str
    folder: str = ""  # before the names of its channels, such as "/right"

    def channel(self, name: str) -> str:
        """The topic of one of its channels."""
        return self.folder + name

    def metadata(self, name: str) -> str:
        """The name of one of its metadata, such as "right/servo"."""
        return f"{self.folder[1:]}/{name}" if self.folder else name


ALONE = PartPlace("")


def places_of(names: Iterable[str]) -> tuple[PartPlace, ...]:
    """Places of parts by their names, in order: what a topic cannot hold becomes `_`, and no two are the same."""
    places: list[PartPlace] = []
    taken = {f"/{name}" for name in TAKEN}
    for number, name in enumerate(names, 1):
        folder = "/" + (re.sub(r"[^A-Za-z0-9_-]+", "_", name) or "part") if places else ""
        places.append(PartPlace(name, f"{folder}_{number}" if folder in taken else folder))
        taken.add(places[-1].folder)
    return tuple(places)


def told(places: Iterable[PartPlace]) -> dict[str, str]:
    """As metadata."""
    there = tuple(places)
    return {
        "names": json.dumps([place.name for place in there], ensure_ascii=False),
        "folders": json.dumps([place.folder for place in there]),
    }


def from_told(metadata: Mapping[str, str]) -> tuple[PartPlace, ...]:
    """From what `told` gave; a ValueError if it is something else."""
    names, folders = (parse_json(metadata.get(key, ""), key) for key in ("names", "folders"))
    if not all(isinstance(words, list) and all(isinstance(word, str) for word in words) for words in (names, folders)):
        raise ValueError("names and folders of the parts are not lists of words")
    places = tuple(PartPlace(*place) for place in zip(names, folders, strict=True))
    if not places or places[0].folder or len({place.folder for place in places}) < len(places):
        raise ValueError("the folders of the parts make no sense")
    return places
