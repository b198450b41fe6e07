"""Joints: stops, couplings, postures."""

from __future__ import annotations

from station.mad.checks.names import check_unique, listed
from station.mad.reader import Findings
from station.mad.scene import Coupling, Interval, Link, Place, Posture, Robot
from station.mad.units import JointType, LengthUnit, joint_text

JOINT_ENTRIES = (
    *("limits", "range", "passive", "speed", "acceleration", "jerk", "effort"),
    *("friction", "armature", "gear"),
)

AT_END = 1e-9  # of stops and tables that are meant to end at one place [rad | m]


def check_joints(robot: Robot, length: LengthUnit, findings: Findings) -> None:
    """Stops that hold the initial value, couplings and postures that make sense."""
    for link in robot.links:
        if link.joint is JointType.FIXED:
            _check_fixed(link, findings)
        else:
            _check_stops(link, length, findings)
            _check_gear(link, findings)
    links = {link.id: link for link in robot.links}
    check_unique([(posture.name, posture.source.place) for posture in robot.postures], "posture", findings)
    for posture in robot.postures:
        _check_posture(posture, links, length, findings)
    _check_couplings(robot.couplings, links, length, findings)


def _check_fixed(link: Link, findings: Findings) -> None:
    for name in JOINT_ENTRIES:
        if name in link.source.entries:
            findings.error(link.source.of(name), f"link {link.id} is fixed and has no joint; leave out '{name}'")


def _check_stops(link: Link, length: LengthUnit, findings: Findings) -> None:
    if link.limits is not None and link.range is not None:
        findings.error(link.source.of("range"), f"link {link.id} has both 'limits' and 'range'; keep one")
        return
    given = link.limits or link.range
    if given is None:
        return
    name = "limits" if link.limits is not None else "range"
    if given.lo >= given.hi:
        place = link.source.of(name)
        lo, hi = (joint_text(value, link.joint, length) for value in given)
        findings.error(place, f"'{name}' of link {link.id}: the lower stop {lo} is not below the upper stop {hi}")
        return
    inside = given.lo <= link.initial <= given.hi if name == "limits" else given.lo <= 0.0 <= given.hi
    if not inside and "parameters" in link.source.entries:
        place = link.source.of("parameters")
        findings.error(place, f"link {link.id}: initial value {_outside(link, link.initial, length)}")


def _check_gear(link: Link, findings: Findings) -> None:
    if link.passive and "gear" in link.source.entries:
        findings.error(link.source.of("gear"), f"link {link.id} is passive: no controller counts it; leave out 'gear'")


def _outside(link: Link, value: float, length: LengthUnit) -> str:
    stops = link.stops or Interval(value, value)
    lo, hi, at = (joint_text(number, link.joint, length) for number in (*stops, value))
    return f"{at} is outside its stops {lo} … {hi}"


def _check_posture(posture: Posture, links: dict[int, Link], length: LengthUnit, findings: Findings) -> None:
    place = posture.source.of("joints")
    check_unique([(value.link, place) for value in posture.joints], f"posture {posture.name}: link", findings)
    for link, value in posture.joints:
        if not _has_joint(link, links, place, f"posture {posture.name}", findings):
            continue
        stops = links[link].stops
        if stops is not None and not stops.lo <= value <= stops.hi:
            findings.error(place, f"posture {posture.name}: link {link}: {_outside(links[link], value, length)}")


def _check_couplings(
    couplings: tuple[Coupling, ...], links: dict[int, Link], length: LengthUnit, findings: Findings
) -> None:
    driven = [(coupling.link, coupling.source.of("link")) for coupling in couplings]
    check_unique(driven, "coupling of link", findings)
    for coupling in couplings:
        _has_joint(coupling.link, links, coupling.source.of("link"), "coupling", findings)
        place = coupling.source.of("equals")
        check_unique([(value.link, place) for value in coupling.equals], "coupling: link", findings)
        for link, _ratio in coupling.equals:
            _has_joint(link, links, place, "coupling", findings)
        _check_curve(coupling, links, length, findings)
    _check_coupling_cycles(couplings, findings)


def _check_curve(coupling: Coupling, links: dict[int, Link], length: LengthUnit, findings: Findings) -> None:
    """A leader and one curve, or neither; and a table that is known wherever the leader may go."""
    given, what = coupling.source.entries, f"coupling of link {coupling.link}"
    curves = [name for name in ("cam", "polynomial") if name in given]
    if coupling.leader is None:
        if "leader" in given:
            return  # it has a problem of its own
        for name in (*curves, *(("periodic",) if coupling.periodic and not curves else ())):
            findings.error(coupling.source.of(name), f"{what}: '{name}' needs 'leader', the link that moves it")
        if not curves and not coupling.periodic and "equals" not in given and not coupling.equals:
            text = f"{what} needs 'equals', or 'leader' with 'cam' or 'polynomial': what moves it"
            findings.error(coupling.source.place, text)
        return
    at = coupling.source.of("leader")
    if not _has_joint(coupling.leader, links, at, "coupling", findings):
        return
    if len(curves) != 1 and coupling.source.place.line:
        text = "has both 'cam' and 'polynomial'; keep one" if curves else "needs its curve: 'cam' or 'polynomial'"
        findings.error(coupling.source.of("polynomial") if curves else at, f"{what} {text}")
    elif coupling.periodic and not coupling.cam and "cam" not in given:
        findings.error(coupling.source.of("periodic"), f"{what}: 'periodic' is for a 'cam'")
    if coupling.cam and not coupling.periodic:
        _check_table_ends(coupling, links[coupling.leader], length, findings)


def _check_table_ends(coupling: Coupling, leader: Link, length: LengthUnit, findings: Findings) -> None:
    """No cam is guessed where its table says nothing."""
    first, last, stops = coupling.cam[0].leader, coupling.cam[-1].leader, leader.stops
    if stops is not None and first - AT_END <= stops.lo and stops.hi <= last + AT_END:
        return
    lo, hi = (joint_text(value, leader.joint, length) for value in (first, last))
    goes = "has no stops"
    if stops is not None:
        goes = f"may go from {' to '.join(joint_text(value, leader.joint, length) for value in stops)}"
    findings.error(
        coupling.source.of("cam"),
        f"coupling of link {coupling.link}: the table is known from {lo} to {hi}, and link {leader.id} {goes}; "
        "give it 'limits' within the table, or write 'periodic'",
    )


def _check_coupling_cycles(couplings: tuple[Coupling, ...], findings: Findings) -> None:
    """No joint may move itself; found by taking away, again and again, what depends on nothing that is left."""
    left = {coupling.link: coupling for coupling in couplings}
    while free := [link for link, coupling in left.items() if not left.keys() & coupling.leaders]:
        for link in free:
            del left[link]
    if left:
        first = next(iter(left.values()))
        place: Place = first.source.of("equals" if "equals" in first.source.entries else "leader")
        findings.error(place, f"couplings that move each other in a circle: links {listed(sorted(left))}")


def _has_joint(link: int, links: dict[int, Link], place: Place, where: str, findings: Findings) -> bool:
    if link in links and links[link].joint is not JointType.FIXED:
        return True
    why = "is fixed and has no joint" if link in links else "is not declared"
    movable = sorted(name for name, item in links.items() if item.joint is not JointType.FIXED)
    findings.error(place, f"{where}: link {link} {why}; links with a joint: {listed(movable)}")
    return False
