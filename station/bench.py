"""A loaded scene whose robots can move: `station.load(…)["macdac"]`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from station import mad
from station.mad.scene import Scene
from station.shipped import scene_path

if TYPE_CHECKING:
    from station.mechanism import Mechanism


@dataclasses.dataclass(frozen=True, kw_only=True)
class Bench(Scene):
    """A scene; indexing it by the name of a robot compiles that robot, once."""

    mechanisms: dict[str, Mechanism] = dataclasses.field(default_factory=dict, compare=False, repr=False)

    def __getitem__(self, name: str) -> Mechanism:
        """The robot of that name, loops assembled; raises KeyError that lists the names there are."""
        if name not in self.mechanisms:
            from station.mechanism import Mechanism  # loads the compiler: not needed to look at a file

            self.mechanisms[name] = Mechanism(self.robot(name))
        return self.mechanisms[name]


def load(path: str | Path, package_path: Sequence[str | Path] = ()) -> Bench:
    """Read a scene from a `.mad` or `.urdf` file, or by the name of a shipped robot; see `station.mad.load`."""
    return _bench(mad.load(scene_path(str(path)), package_path))


def loads(text: str, file: str = "<text>") -> Bench:
    """Read a scene from MAD text; see `station.mad.loads`."""
    return _bench(mad.loads(text, file))


def _bench(scene: Scene) -> Bench:
    return Bench(**{field.name: getattr(scene, field.name) for field in dataclasses.fields(Scene)})
