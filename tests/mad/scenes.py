"""Hypothesis strategies for whole scenes, made from the language's own table: a new keyword is covered at once."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from station.mad import scene as model
from station.mad import schema
from station.mad.schema import Sign
from station.mad.units import SMALLEST, JointType, LengthUnit, Unit, largest_of

NAMES = st.from_regex(re.compile(r"[A-Za-z0-9_é][A-Za-z0-9_.+-]{0,8}"), fullmatch=True)
WORDS = st.from_regex(re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,8}"), fullmatch=True)
TEXTS = st.text(st.characters(exclude_characters='"\r\n', codec="utf-8"), max_size=12)
IDS = st.integers(1, 10**8)


def numbers(unit: Unit = Unit.NONE, sign: Sign = Sign.ANY) -> st.SearchStrategy[float]:
    largest = largest_of(unit)
    sizes = st.one_of(st.floats(-1e4, 1e4), st.floats(-largest, largest), st.integers(-360, 360).map(float))
    if sign is Sign.ANY:
        return sizes
    sizes = sizes.map(abs)
    return sizes if sign is Sign.NOT_NEGATIVE else sizes.filter(lambda size: size >= SMALLEST)


def values(kind: schema.Kind, major: int) -> st.SearchStrategy[Any]:  # noqa: C901 - one short case per kind
    """Any value of a kind, with no regard to the rest of the scene."""
    match kind:
        case schema.Number(unit=unit, sign=sign):
            return numbers(unit, sign)
        case schema.Integer():
            return st.integers(0, 10**8)
        case schema.Freedoms():
            return st.integers(0, 3)
        case schema.Text():
            return TEXTS
        case schema.Word(choices=None):
            return WORDS
        case schema.Word(choices=choices) if choices is not None:
            return st.sampled_from(list(choices))
        case schema.Words(choices=choices):
            return st.lists(st.sampled_from(list(choices)), unique=True).map(tuple)
        case schema.Flag():
            return st.booleans()
        case schema.Numbers(make=make, units=units, sign=sign):
            return st.builds(make, *[numbers(unit, sign) for unit in units])
        case schema.NumberList(unit=unit):
            return st.lists(numbers(unit), max_size=5).map(tuple)
        case schema.Files():
            return st.lists(st.one_of(TEXTS, st.just(model.Auto.AUTO)), max_size=3).map(tuple)
        case schema.Block(item=item):
            return items(item, major)
    return st.just(())  # what names other things is filled in by `robots`


def items(item: type[Any], major: int, **fixed: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Any block; `fixed` gives the fields that must fit their surroundings."""
    special = {model.Shape: _shape, model.Gripper: _gripper, model.MobileBase: _mobile, model.Mount: _no_mount}
    if item in special and not fixed:
        return special[item](major)
    fields = dict(fixed)
    for entry in schema.layout_of(item).entries:
        if entry.field in fields or entry.since > major:
            continue
        value = values(entry.kind, major)
        if entry.many:
            fields[entry.field] = st.lists(value, max_size=2).map(tuple)
        else:
            fields[entry.field] = value if entry.required else st.one_of(st.just(entry.default), value)
    return st.builds(item, **fields)


def _shape(major: int, item: type[Any] = model.Shape, **fixed: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    entries = {entry.field: entry for entry in schema.layout_of(model.Shape).entries}
    kinds = ("box", "sphere", "cylinder", "capsule", "plane", "mesh")
    colour = st.none() | st.builds(model.Colour, *[st.floats(0, 1)] * 4)

    def one(chosen: str) -> st.SearchStrategy[Any]:
        given = {kind: st.just(entries[kind].default) for kind in kinds}
        given[chosen] = st.just(True) if chosen == "plane" else values(entries[chosen].kind, major)
        return items(item, major, colour=colour, **given, **fixed)

    return st.sampled_from(kinds).flatmap(one)


def _gripper(major: int) -> st.SearchStrategy[Any]:
    widths = st.tuples(st.floats(0, 1), st.floats(0.001, 1)).map(lambda ab: model.Interval(ab[0], ab[0] + ab[1]))
    return items(model.Gripper, major, stroke=widths)


def _mobile(major: int) -> st.SearchStrategy[Any]:
    return items(model.MobileBase, major, track=numbers(Unit.LENGTH, Sign.POSITIVE))


def _no_mount(_major: int) -> st.SearchStrategy[Any]:
    return st.none()  # what a base stands on is chosen by `scenes`, from robots that are there


@st.composite
def links(draw: st.DrawFn, major: int, name: int, pred: int) -> model.Link:
    """A link whose stops hold its initial value."""
    types = [JointType.REVOLUTE, JointType.PRISMATIC] + ([JointType.FIXED] if major >= 2 else [])
    joint = draw(st.sampled_from(types))
    parameters = draw(st.builds(model.Parameters, *[st.floats(-1e3, 1e3)] * 6))
    at = {JointType.REVOLUTE: parameters.theta, JointType.PRISMATIC: parameters.r, JointType.FIXED: 0.0}[joint]
    fixed: dict[str, Any] = {"limits": None, "range": None}
    if joint is JointType.FIXED:
        fixed |= dict.fromkeys(("speed", "acceleration", "jerk", "effort", "friction", "armature"))
        fixed |= {"passive": False, "gear": 1.0}
    else:
        below, above = draw(st.floats(0, 100)), draw(st.floats(0.001, 100))
        stops = {"limits": model.Interval(at - below, at + above), "range": model.Interval(-below, above)}
        choice = draw(st.sampled_from(["limits", "range", None]))
        if choice is not None:
            fixed[choice] = stops[choice]
        fixed["passive"] = major >= 2 and draw(st.booleans())
        if fixed["passive"]:
            fixed["gear"] = 1.0
    fixed |= {"id": name, "pred": pred, "joint": joint, "parameters": parameters, "name": None}
    link = draw(items(model.Link, major, **{key: st.just(value) for key, value in fixed.items()}))
    assert isinstance(link, model.Link)
    return link


@st.composite
def robots(draw: st.DrawFn, major: int, devices: list[int]) -> model.Robot:
    """A robot whose parts fit together."""
    ids = draw(st.lists(IDS, unique=True, min_size=2, max_size=7))
    split = draw(st.integers(1, len(ids) - 1))
    preds = [draw(st.sampled_from([0, *ids[:i]])) for i in range(len(ids))]
    chain = [draw(links(major, name, pred)) for name, pred in zip(ids[:split], preds, strict=False)]
    kinds = [model.Frame] + ([model.Tool, model.Camera] if major >= 2 else [])
    frames: dict[type[Any], list[Any]] = {model.Frame: [], model.Tool: [], model.Camera: []}
    for name, pred in zip(ids[split:], preds[split:], strict=True):
        kind = draw(st.sampled_from(kinds))
        fixed = {"id": st.just(name), "pred": st.just(pred), "name": st.just(f"part {name}" if major >= 2 else None)}
        frames[kind].append(draw(items(kind, major, **fixed)))
    word = {link.id: "link" for link in chain} | dict.fromkeys(ids[split:], "frame")
    joints = [link for link in chain if link.joint is not JointType.FIXED]
    extras = draw(_extras(joints, ids)) if major >= 2 else {}
    robot = draw(
        items(
            model.Robot,
            major,
            name=NAMES,
            links=st.just(tuple(chain)),
            frames=st.just(tuple(frames[model.Frame])),
            tools=st.just(tuple(frames[model.Tool])),
            cameras=st.just(tuple(frames[model.Camera])),
            constraints=st.lists(_constraints(major, word, devices), max_size=3).map(_led_once),
            **{key: st.just(extras.get(key, ())) for key in ("couplings", "postures", "controllers", "obstacles")},
        )
    )
    assert isinstance(robot, model.Robot)
    return robot


@st.composite
def _constraints(draw: st.DrawFn, major: int, word: dict[int, str], devices: list[int]) -> model.Constraint:
    targets = [model.Target(word[name], name) for name in draw(st.permutations(list(word)))[:2]]
    axes = draw(st.lists(st.sampled_from(list(model.Axis)), unique=True)) if major >= 2 else []
    if draw(st.booleans()):
        driving = tuple(draw(st.lists(st.sampled_from([0, *devices]), unique=True, min_size=1)))
        return model.Constraint(targets=(targets[0],), devices=driving, axes=tuple(axes))
    kinds = list(model.ClosureKind) if major >= 2 else [model.ClosureKind.WELD, model.ClosureKind.BALL]
    kind = model.ClosureKind.WELD if axes else draw(st.sampled_from(kinds))
    return model.Constraint(targets=tuple(targets), kind=kind, axes=tuple(axes))


def _led_once(constraints: list[model.Constraint]) -> tuple[model.Constraint, ...]:
    """Without those that let another device lead a frame that is led already."""
    led: set[int] = set()
    kept = []
    for constraint in constraints:
        target = constraint.targets[0].id
        leads = not constraint.closes_loop and any(constraint.devices)
        if not (leads and target in led):
            kept.append(constraint)
        if leads:
            led.add(target)
    return tuple(kept)


@st.composite
def _driven(draw: st.DrawFn, leader: int, number: st.SearchStrategy[float]) -> dict[str, Any]:
    """How a coupling is moved by another joint: by a ratio, a cam that repeats, or a polynomial."""
    match draw(st.sampled_from(["ratio", "cam", "polynomial"])):
        case "ratio":
            return {"equals": (model.JointValue(leader, draw(number)),)}
        case "cam":
            places = sorted(draw(st.lists(st.integers(-1000, 1000), min_size=2, max_size=5, unique=True)))
            points = tuple(model.CamPoint(0.1 * place, draw(number)) for place in places)
            return {"leader": leader, "cam": points, "periodic": True}
    return {"leader": leader, "polynomial": tuple(draw(st.lists(number, min_size=1, max_size=10)))}


@st.composite
def _extras(draw: st.DrawFn, joints: list[model.Link], ids: list[int]) -> dict[str, Any]:
    """What names joints: couplings (a joint by earlier ones), postures within stops, controllers, obstacles."""
    names = [link.id for link in joints]
    active = [link.id for link in joints if not link.passive]
    ratio = st.floats(-100, 100)
    couplings = tuple(
        model.Coupling(link=names[i], offset=draw(ratio), **draw(_driven(names[i - 1], ratio)))
        for i in range(1, len(names))
        if draw(st.booleans())
    )
    inside = [model.JointValue(link.id, draw(st.floats(*link.stops) if link.stops else ratio)) for link in joints]
    postures = (model.Posture(name=draw(NAMES), joints=tuple(inside)),)
    cut = draw(st.integers(0, len(active)))
    controllers = tuple(
        draw(items(model.Controller, 2, joints=st.just(tuple(part)), name=st.sampled_from([None, "", name])))
        for name, part in (("a b", active[:cut]), ("ç.2", active[cut:]))
        if part
    )
    obstacle = _shape(2, model.Obstacle, name=st.just("carried"), pred=st.sampled_from(ids))
    obstacles = tuple(draw(st.lists(obstacle, max_size=1)))
    return {"couplings": couplings, "postures": postures, "controllers": controllers, "obstacles": obstacles}


def _part(robot: model.Robot) -> st.SearchStrategy[model.Target]:
    known = [model.Target("link" if isinstance(item, model.Link) else "frame", item.id) for item in robot.placed()]
    return st.sampled_from([model.Target("frame", 0), *known])


@st.composite
def _ties(draw: st.DrawFn, first: model.Robot, second: model.Robot) -> model.Tie:
    """A constraint between two robots."""
    ends = (first.name, draw(_part(first)), second.name, draw(_part(second)))
    axes = tuple(draw(st.lists(st.sampled_from(list(model.Axis)), unique=True)))
    kind = model.ClosureKind.WELD if axes else draw(st.sampled_from(list(model.ClosureKind)))
    return model.Tie(ends=ends, kind=kind, axes=axes)


@st.composite
def scenes(draw: st.DrawFn) -> model.Scene:
    """A whole scene of version 1 or 2 that passes every check."""
    version = draw(st.sampled_from([None, (1, 0), (2, 0), (2, 0)]))
    major = version[0] if version else 1
    ids = draw(st.lists(st.integers(1, 50), unique=True, max_size=3))
    dead = st.none() | st.floats(0, 0.9) if major >= 2 else st.none()
    curve = st.none() if major < 2 else st.none() | st.floats(0.2, 5.0)
    buttons = {  # no two alike
        name: st.none() | st.integers(first, first + 9) if major >= 2 else st.none()
        for name, first in (("deadman", 0), ("clutch", 10), ("estop", 20))
    }
    fixed = {**buttons, "deadzone": dead, "curve": curve}
    names = [
        st.none() | st.sampled_from(["", " "]) | TEXTS.map(f"{{}}, {number}".format) if major >= 2 else st.none()
        for number in ids  # of which each may have one of its own
    ]
    devices = tuple(
        draw(items(model.Device, major, id=st.just(number), name=name, **fixed))
        for number, name in zip(ids, names, strict=True)
    )
    named = {robot.name: robot for robot in draw(st.lists(robots(major, ids), max_size=2))}
    ties: tuple[model.Tie, ...] = ()
    if major >= 2 and len(named) == 2:
        first, second = named.values()
        ties = tuple(draw(st.lists(_ties(first, second), max_size=2)))
        if draw(st.booleans()):
            base = replace(second.base, mobile=None, on=model.Mount(ends=(first.name, draw(_part(first)))))
            named[second.name] = replace(second, base=base)
    obstacle = _shape(2, model.Obstacle, name=NAMES, pred=st.none())
    solids = {solid.name: solid for solid in draw(st.lists(obstacle, max_size=2))} if major >= 2 else {}
    return model.Scene(
        name=draw(NAMES.filter(lambda name: not re.fullmatch(r"v\d+(\.\d+)?", name))),
        version=version,
        unit=draw(st.sampled_from(list(LengthUnit))) if major >= 2 else LengthUnit.MM,
        devices=devices,
        robots=tuple(named.values()),
        ties=ties,
        obstacles=tuple(solids.values()),
    )
