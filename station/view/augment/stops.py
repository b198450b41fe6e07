"""Joint stops: an arc around each joint that turns, a bar along each that slides, filled as a stop gets near."""

from __future__ import annotations

import math
from enum import StrEnum

import numpy as np

from station.mad.scene import Interval, Link
from station.mad.units import JointType
from station.view.augment.additions import Additions, spot
from station.view.augment.colours import ramp_colour
from station.view.augment.gauge import arc_points, tube
from station.view.augment.marks import ball
from station.view.augment.quantities import stop_gaps
from station.view.augment.reading import Floats, Reading
from station.view.drawing.label import Label
from station.view.errors import ViewRequestError
from station.view.geometry.mesh import Colour, Mesh, joined

AT_STOP: Colour = (0.85, 0.10, 0.10, 0.75)
AT_SPEED: Colour = (0.95, 0.75, 0.05, 0.6)
AWAY = 1.75  # of arcs and bars from the axis, over the radius of the joint
TRACK, FILLED, END = 0.07, 0.17, 0.26  # radii of tubes and of the balls at stops, over that of the joint
MARGIN = 0.9  # nearness from which on the label says how much is left


class Stops(StrEnum):
    """Which stops are drawn."""

    OFF = "off"
    NEAR = "near"  # of joints that are near one
    ALL = "all"


def stops_named(name: str) -> Stops:
    """Raises ViewRequestError that lists what there is."""
    if name not in list(Stops):
        raise ViewRequestError(f"stops cannot be shown as '{name}'; there are: {', '.join(Stops)}")
    return Stops(name)


def stop_gauges(reading: Reading, which: Stops) -> Additions:
    """The stops of a robot: the whole range as a thin tube, filled from its middle to where the joint is."""
    if which is Stops.OFF:
        return Additions()
    gaps, near = stop_gaps(reading)
    meshes: list[Mesh] = []
    labels: list[Label] = []
    for link, value, gap, share in zip(reading.joints, reading.robot.q, gaps, near, strict=True):
        stops = link.stops
        if stops is None or (which is Stops.NEAR and not share > 0.0):
            continue
        track, filled = _places(reading, link, stops, float(value))
        size = reading.robot.body.joints[link.id].radius
        colour = ramp_colour(reading.theme, float(share))
        meshes += [
            tube(track, TRACK * size, reading.theme.track),
            tube(filled, FILLED * size, colour),
            *(ball(track[end], END * size, reading.theme.ramp[2]) for end in (0, -1)),
        ]
        if share > MARGIN:
            left = f"{math.degrees(abs(gap)):.1f}°" if link.joint is JointType.REVOLUTE else f"{1e3 * abs(gap):.1f} mm"
            text = f"joint {link.id}: {left} left"
            labels.append(Label(text, spot(filled[-1]), colour, reading.theme.text_back, (10.0, 0.0)))
    return Additions(mesh=joined(meshes), labels=tuple(labels))


def _places(reading: Reading, link: Link, stops: Interval, value: float) -> tuple[Floats, Floats]:
    """Places along the whole range and along its filled part [m]."""
    pose, shape = reading.robot.pose(link.id), reading.robot.body.joints[link.id]
    x, y, z = pose[:3, :3].T
    centre, away = pose[:3, 3] + shape.centre * z, AWAY * shape.radius
    middle = 0.5 * (stops.lo + stops.hi)
    if link.joint is JointType.REVOLUTE:  # x has turned with the link: angles count from there
        track = arc_points(centre, x, y, away, stops.lo - value, stops.hi - value)
        return track, arc_points(centre, x, y, away, middle - value, 0.0)
    beside = centre + away * x
    ends = np.array([stops.lo, stops.hi, middle, value])[:, None] - value
    places = beside + ends * z
    return places[:2], places[2:]


def limit_tints(reading: Reading) -> Additions:
    """Joints that the station says are at a stop red, those at their speed limit amber."""
    if reading.snapshot is None:
        return Additions()
    colours = {-1: AT_STOP, 1: AT_STOP, 2: AT_SPEED}
    acting = zip(reading.joints, reading.snapshot.joint_acting, strict=False)
    return Additions(tints={link.id: colours[int(how)] for link, how in acting if int(how) in colours})
