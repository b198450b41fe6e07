"""`<visual>` and `<collision>` elements: solids in the coordinates of their link."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from station.mad.reader import Findings
from station.mad.scene import Round, Shape, Vector
from station.mad.units import SMALLEST
from station.mad.urdf.attributes import numbers_of, origin_of, text_of
from station.mad.urdf.elements import Element, source_of
from station.mad.urdf.materials import Materials
from station.mad.urdf.meshes import Meshes

SOLIDS = ("box", "cylinder", "sphere", "capsule", "mesh")
WITH_OWN_UNIT = (".dae", ".glb", ".gltf")  # these files say themselves what one unit is
METRES = Vector(1.0, 1.0, 1.0)


@dataclass(frozen=True)
class ShapeReader:
    """What the shapes of a URDF depend on besides their own elements."""

    materials: Materials
    meshes: Meshes
    findings: Findings

    def shapes(self, link: Element, tag: str) -> tuple[Shape, ...]:
        """All `<visual>` or `<collision>` solids of a link."""
        return tuple(shape for element in link.all(tag) for shape in self._shape(element))

    def _shape(self, element: Element) -> Iterator[Shape]:
        """The solid of one element, or nothing after noting why."""
        geometry = element.first("geometry")
        solids = [child for child in geometry.children if child.tag in SOLIDS] if geometry is not None else []
        if len(solids) != 1:
            said = f"one of <{'>, <'.join(SOLIDS)}>"
            findings_at = element.place if geometry is None else geometry.place
            self.findings.error(findings_at, f"<{element.tag}> needs a <geometry> with {said}")
            return
        origin = origin_of(element, self.findings)
        colour = self.materials.colour(element, self.findings)
        source = source_of(element, mesh=solids[0])
        shape = self._solid(solids[0], Shape(pos=origin.pos, ori=origin.ori, colour=colour, source=source))
        if shape is not None:
            yield shape

    def _solid(self, solid: Element, shape: Shape) -> Shape | None:
        if solid.tag == "mesh":
            return self._mesh(solid, shape)
        if solid.tag == "box":
            size = self._sizes(solid, "size", 3)
            return replace(shape, box=Vector(*size)) if size else None
        radius = self._sizes(solid, "radius", 1)
        if solid.tag == "sphere":
            return replace(shape, sphere=radius[0]) if radius else None
        length = self._sizes(solid, "length", 1)
        if not radius or not length:
            return None
        rod = Round(radius[0], length[0])
        return replace(shape, cylinder=rod) if solid.tag == "cylinder" else replace(shape, capsule=rod)

    def _mesh(self, mesh: Element, shape: Shape) -> Shape | None:
        given = text_of(mesh, "filename", self.findings)
        scale = numbers_of(mesh, "scale", 3, self.findings, METRES)
        if given is None or scale is None:
            return None
        # A URDF counts in metres: that is said even where the URDF is silent, unless the mesh file says it itself.
        silent = "scale" not in mesh.attributes and given.lower().endswith(WITH_OWN_UNIT)
        path = self.meshes.path(given, mesh.place, self.findings)
        return replace(shape, mesh=path, scale=None if silent else Vector(*scale))

    def _sizes(self, solid: Element, name: str, count: int) -> tuple[float, ...] | None:
        """Sizes that are more than 0 [m]; a solid of no size is left out, since it can be neither seen nor touched."""
        sizes = numbers_of(solid, name, count, self.findings)
        if sizes is None:
            return None
        if min(sizes) < 0.0:
            self.findings.error(solid.place, f"'{name}' of <{solid.tag}> must be more than 0, not {min(sizes):g}")
        elif min(sizes) < SMALLEST:
            self.findings.warning(solid.place, f"'{name}' of <{solid.tag}> is 0; this solid is left out")
        return sizes if min(sizes) >= SMALLEST else None
