"""`<material>` elements: colours, given where they are used or once by name."""

from __future__ import annotations

from dataclasses import dataclass, field

from station.mad.reader import Findings
from station.mad.scene import Colour, Place
from station.mad.urdf.attributes import numbers_of
from station.mad.urdf.elements import Element


@dataclass
class Materials:
    """All colours of a URDF. Textures are not drawn: their colour is None."""

    by_place: dict[Place, Colour | None] = field(default_factory=dict)
    by_name: dict[str, Colour | None] = field(default_factory=dict)

    def colour(self, visual: Element, findings: Findings) -> Colour | None:
        """The colour of a `<visual>`, if it has one; an unknown name is noted."""
        material = visual.first("material")
        if material is None:
            return None
        if material.place in self.by_place:
            return self.by_place[material.place]
        name = material.attributes.get("name", "")
        if name and name not in self.by_name:
            findings.warning(material.place, f"material '{name}' is not defined; the body has no colour")
        return self.by_name.get(name)


def read_materials(robot: Element, findings: Findings) -> Materials:
    """Every material that is defined in a URDF; those of the robot itself win over those inside links."""
    found = Materials()
    inside = [visual for link in robot.all("link") for visual in link.all("visual")]
    for material in [material for owner in (robot, *inside) for material in owner.all("material")]:
        color = material.first("color")
        if color is not None or material.first("texture") is not None:
            colour = _colour(color, findings) if color is not None else None
            found.by_place[material.place] = colour
            found.by_name.setdefault(material.attributes.get("name", ""), colour)
    return found


def _colour(color: Element, findings: Findings) -> Colour | None:
    rgba = numbers_of(color, "rgba", 4, findings)
    if rgba is None:
        return None
    if not all(0.0 <= part <= 1.0 for part in rgba):
        findings.warning(color.place, "the parts of a colour are numbers from 0 to 1; those beyond are cut off")
    return Colour(*(min(max(part, 0.0), 1.0) for part in rgba))
