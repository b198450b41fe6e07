"""One case per kind of mistake: the place (marked by ¦) and the words that a person gets to see."""

from __future__ import annotations

import numpy as np
import pytest

import robots
import station
from station.mad.checks.bodies import eigenvalues

# Lines inside robot a of a file of version 1.
IN_ROBOT = {
    "duplicate id": (
        "link 1 { type 2 pred 0 parameters { theta 0 r 0 alpha 0 d 0 } } ¦frame 1 { pred 0 }",
        ["id 1 is declared twice", "line 3"],
    ),
    "id of the base": ("¦link 0 { type 2 pred 0 parameters { theta 0 r 0 alpha 0 d 0 } }", ["id 0 is the base's own"]),
    "unknown pred": ("frame 4 { ¦pred 9 }", ["pred 9 is not declared in robot a", "there are: 0, 4"]),
    "cycle": ("frame 4 { ¦pred 5 } frame 5 { pred 4 }", ["runs in a circle: 4 → 5 → 4"]),
    "its own pred": ("frame 4 { ¦pred 4 }", ["runs in a circle: 4 → 4"]),
    "second base": ("¦base { }", ["'base' is given twice", "line 2"]),
    "missing parameters": ("¦link 1 { type 2 pred 0 }", ["link 1 needs 'parameters'"]),
    "missing pred": ("¦frame 4 { }", ["frame 4 needs 'pred'"]),
    "missing theta": (
        "link 1 { type 2 pred 0 ¦parameters { r 0 alpha 0 d 0 } }",
        ["'parameters' lacks theta", "{ theta r alpha d gamma epsil }"],
    ),
    "too few numbers": ("frame 4 { pred 0 ¦pos { 1 2 } }", ["'pos' lacks z", "{ x y z }"]),
    "too many numbers": ("frame 4 { pred 0 pos { 1 2 3 ¦4 } }", ["takes { x y z }", "not 4 numbers"]),
    "labels mixed": ("frame 4 { pred 0 ¦pos { 1 y 2 z 3 } }", ["all with labels or all without"]),
    "label twice": ("frame 4 { pred 0 pos { x 1 ¦x 2 y 3 z 3 } }", ["'x' is given twice in 'pos'"]),
    "label with no number": ("frame 4 { pred 0 pos { ¦x y 3 z 3 } }", ["'x' takes one number"]),
    "joint type": (
        "link 1 { type ¦3 pred 0 parameters { theta 0 r 0 alpha 0 d 0 } }",
        ["'3' is not a joint type", "1 (prismatic)"],
    ),
    "joint type name in 1": (
        "link 1 { type ¦revolute pred 0 parameters { theta 0 r 0 alpha 0 d 0 } }",
        ["'revolute' is not a joint type; allowed: 1 (prismatic) or 2 (revolute)"],
    ),
    "stops the wrong way": (
        "link 1 { ¦limits { 60 -60 } type 2 pred 0 parameters { theta 0 r 0 alpha 0 d 0 } }",
        ["lower stop 60°", "upper stop -60°"],
    ),
    "equal stops": (
        "link 1 { ¦range { 0 0 } type 2 pred 0 parameters { theta 0 r 0 alpha 0 d 0 } }",
        ["'range' of link 1", "is not below"],
    ),
    "initial outside limits": (
        "link 1 { limits { 10 60 } type 2 pred 0 ¦parameters { theta 0 r 0 alpha 0 d 0 } }",
        ["initial value 0° is outside", "10° … 60°"],
    ),
    "initial outside range": (
        "link 1 { range { 10 60 } type 2 pred 0 ¦parameters { theta 0 r 0 alpha 0 d 0 } }",
        ["initial value 0° is outside"],
    ),
    "limits and range": (
        "link 1 { limits { -1 1 } ¦range { -1 1 } type 2 pred 0 parameters { theta 0 r 0 alpha 0 d 0 } }",
        ["both 'limits' and 'range'; keep one"],
    ),
    "constraint with itself": ("frame 4 { pred 0 } ¦constraint { frame 4 frame 4 }", ["between frame 4 and itself"]),
    "constraint of one": ("frame 4 { pred 0 } ¦constraint { frame 4 }", ["two targets, or one and a list of devices"]),
    "constraint of an unknown": ("constraint { ¦link 7 frame 0 }", ["link 7 is not declared", "there are: 0"]),
    "link called a frame": (
        "link 1 { type 2 pred 0 parameters { theta 0 r 0 alpha 0 d 0 } } constraint { ¦frame 1 sensor ( 1 ) }",
        ["1 is a link, not a frame"],
    ),
    "undeclared sensor": (
        "frame 4 { pred 0 } constraint { frame 4 ¦sensor ( 0 3 ) }",
        ["sensor 3 is not declared; declared are: 0, 1"],
    ),
    "sensor twice": ("frame 4 { pred 0 } constraint { frame 4 ¦sensor ( 1 1 ) }", ["device 1 is listed twice"]),
    "not finite": ("frame 4 { pred 0 pos { 1 ¦nan 3 } }", ["'nan' is not a finite number"]),
    "too large": ("frame 4 { pred 0 pos { ¦1e999 2 3 } }", ["'1e999' is not a finite number"]),
    "not a number": ("frame 4 { pred 0 pos { ¦5mm 2 3 } }", ["'5mm' is not a number"]),
    "unknown keyword": (
        "link 1 { type 2 pred 0 parameters { theta 0 r 0 alpha 0 d 0 } ¦limts { -1 1 } }",
        ["unknown keyword 'limts' in link 1; did you mean 'limits'?", "allowed: parameters, type, pred, limits, range"],
    ),
    "unknown keyword with a word": (
        "link 1 { pred 0 parameters { 0 0 0 0 } ¦typ revolute }",
        ["unknown keyword 'typ' in link 1; did you mean 'type'?"],
    ),
    "upper case": ("¦FRAME 4 { pred 0 }", ["unknown keyword 'FRAME'", "did you mean 'frame'?"]),
    "unknown label": (
        "link 1 { type 2 pred 0 parameters { ¦tetha 0 r 0 alpha 0 d 0 } }",
        ["unknown label 'tetha' in 'parameters'; did you mean 'theta'?"],
    ),
    "a keyword of 2.0": (
        "link 1 { type 2 pred 0 parameters { theta 0 r 0 alpha 0 d 0 } ¦passive }",
        ["'passive' needs MAD 2.0", "RAFF v2.0 Name"],
    ),
    "given twice": ("frame 4 { pred 0 ¦pred 0 }", ["'pred' is given twice; the first is at line 3"]),
    "an id that is none": ("frame 4 { pred ¦1.5 }", ["'pred' takes whole numbers", "'1.5'"]),
    "a block without id": ("¦frame { pred 0 }", ["'frame' takes whole numbers"]),
    "no block": ("¦frame 4", ["'frame 4' takes one block { … }"]),
    "a stray number": ("frame 4 { ¦5 pred 0 }", ["a number without a keyword in frame 4"]),
    "mesh without quotes": ("frame 4 { pred 0 filename ( ¦arm ) }", ["'arm' is not a mesh", "in quotes, or auto"]),
    "text without quotes": ("¦path 5", ["'path' takes a quoted string"]),
    "list without brackets": ('frame 4 { pred 0 ¦filename "a" }', ["'filename' takes a list"]),
    "number where a block is due": ("frame 4 { pred 0 ¦pos 1 }", ["'pos' takes { x y z }"]),
}

# The same for files of version 2; `J` opens a sound link 1 that turns, `K` a sound link 2 that slides.
IN_ROBOT_2 = {
    "joint type": ("link 9 { type ¦ball pred 0 parameters { 0 0 0 0 } }", ["'ball' is not a joint type", "fixed"]),
    "limits of a fixed row": (
        "link 9 { type fixed pred 0 parameters { 0 0 0 0 } ¦speed 3 }",
        ["link 9 is fixed and has no joint; leave out 'speed'"],
    ),
    "speed of zero": ("J speed ¦0 }", ["'speed' must be more than 0, not 0"]),
    "gear of zero": ("J gear ¦0 }", ["'gear' must be more than 0, not 0"]),
    "gear of a passive joint": (
        "J passive ¦gear 2 }",
        ["link 1 is passive: no controller counts it; leave out 'gear'"],
    ),
    "gear of a fixed row": (
        "link 9 { type fixed pred 0 parameters { 0 0 0 0 } ¦gear 2 }",
        ["link 9 is fixed and has no joint; leave out 'gear'"],
    ),
    "negative mass": ("J mass ¦-1 }", ["'mass' must be at least 0, not -1"]),
    "kind of closure": (
        "J } K } constraint { link 1 link 2 type ¦bal }",
        ["'bal' is no value for 'type'; did you mean 'ball'?", "allowed: weld, revolute, prismatic"],
    ),
    "kind and axes": ("J } K } constraint { link 1 link 2 type ball ¦axes ( x ) }", ["keep one"]),
    "no axes": ("J } K } constraint { link 1 link 2 ¦axes ( ) }", ["at least one of x, y, z, rx, ry, rz"]),
    "off without a loop": ("J } K } constraint { link 1 device ( 0 ) ¦off }", ["'off' is for loops"]),
    "axis twice": ("J } K } constraint { link 1 link 2 ¦axes ( x x ) }", ["names an axis twice"]),
    "kind when following": ("J } constraint { link 1 device ( 1 ) ¦type ball }", ["say which axes follow"]),
    "coupling of an unknown": ("J } coupling { link 1 ¦equals ( link 9 1 ) }", ["link 9 is not declared"]),
    "coupling with itself": ("J } coupling { link 1 ¦equals ( link 1 1 ) }", ["in a circle: links 1"]),
    "coupling twice": (
        "J } K } coupling { link 1 equals ( link 2 1 ) } coupling { ¦link 1 equals ( link 2 1 ) }",
        ["coupling of link 1 is declared twice"],
    ),
    "coupling of nothing": ("J } coupling { link 1 ¦equals ( ) }", ["needs at least one joint"]),
    "coupling without link": ("J } K } coupling { link 1 equals ( ¦2 1 ) }", ["takes groups of: link Id number"]),
    "a label by both of its names": (
        "link 9 { type revolute pred 0 parameters { theta 0 r 1 alpha 0 dpara 2 ¦rpara 3 } }",
        ["'r' is given twice in 'parameters'"],
    ),
    "old label of something else": ("J limits { ¦rpara 1 hi 2 } }", ["unknown label 'rpara'"]),
    "coupling of nothing at all": ("J } ¦coupling { link 1 }", ["needs 'equals', or 'leader' with 'cam'"]),
    "cam without leader": ("J } K } coupling { link 1 ¦cam ( 0 0 1 1 ) }", ["'cam' needs 'leader'"]),
    "leader without curve": ("J } K } coupling { link 1 ¦leader 2 }", ["needs its curve: 'cam' or 'polynomial'"]),
    "leader unknown": ("J } coupling { link 1 ¦leader 9 polynomial ( 1 ) }", ["link 9 is not declared"]),
    "leader of itself": ("J } coupling { link 1 ¦leader 1 polynomial ( 0 2 ) }", ["in a circle: links 1"]),
    "two curves": (
        "J } K } coupling { link 1 leader 2 cam ( 0 0 9 9 ) periodic ¦polynomial ( 1 ) }",
        ["has both 'cam' and 'polynomial'; keep one"],
    ),
    "periodic polynomial": (
        "J } K } coupling { link 1 leader 2 polynomial ( 1 ) ¦periodic }",
        ["'periodic' is for a 'cam'"],
    ),
    "half a point": (
        "J } K } coupling { link 1 leader 2 cam ( 0 0 1 1 ¦5 ) }",
        ["'cam' takes pairs x y, 2 to 1000 of them, not 5 numbers"],
    ),
    "one point": ("J } K } coupling { link 1 leader 2 cam ( 0 ¦0 ) }", ["not 2 numbers"]),
    "no coefficients": ("J } K } coupling { link 1 leader 2 ¦polynomial ( ) }", ["takes 1 to 10 numbers"]),
    "cam that turns back": (
        "J } K } coupling { link 1 leader 2 cam ( 0 0 20 1 ¦10 2 ) }",
        ["the leader's values have to rise, and 10 does not"],
    ),
    "cam that ends too soon": (
        "J } K limits { -5 50 } } coupling { link 1 leader 2 ¦cam ( 0 0 40 90 ) }",
        ["the table is known from 0 mm to 40 mm, and link 2 may go from -5 mm to 50 mm", "or write 'periodic'"],
    ),
    "cam of a leader without stops": (
        "J } K } coupling { link 2 leader 1 ¦cam ( 0 0 40 90 ) }",
        ["the table is known from 0° to 40°, and link 1 has no stops"],
    ),
    "posture outside stops": (
        "J limits { -60 60 } } posture p { ¦joints ( link 1 70 ) }",
        ["posture p: link 1: 70° is outside its stops -60° … 60°"],
    ),
    "posture of a fixed row": (
        "link 9 { type fixed pred 0 parameters { 0 0 0 0 } } posture p { ¦joints ( link 9 0 ) }",
        ["link 9 is fixed and has no joint"],
    ),
    "posture twice": ("posture p { } ¦posture p { }", ["posture p is declared twice"]),
    "name twice": ('frame 4 { pred 0 name "a" } frame 5 { pred 0 ¦name "a" }', ["name a is declared twice"]),
    "controller of a passive joint": (
        'J passive } controller { address "sim:arm" ¦joints ( 1 ) }',
        ["link 1 has no joint that a controller can drive"],
    ),
    "controller of no joint": (
        '¦controller { address "sim:arm" }',
        ["robot a has no joint that a controller can drive"],
    ),
    "two controllers": (
        'J } controller { address "a" } controller { address "b" ¦joints ( 1 ) }',
        ["link 1 is driven by a already"],
    ),
    "obstacle without shape": ("¦obstacle o { pred 0 }", ["has no shape; give exactly one of: box, sphere"]),
    "obstacle with two": ("¦obstacle o { pred 0 sphere 1 plane }", ["has sphere and plane"]),
    "obstacle on nothing": ("¦obstacle o { sphere 1 }", ["needs 'pred'"]),
    "colour": ("obstacle o { pred 0 sphere 1 ¦colour { 255 0 0 } }", ["numbers from 0 to 1"]),
    "stroke": ("tool 4 { pred 0 gripper { ¦stroke { 85 0 } } }", ["0 ≤ closed < open"]),
    "ball with a type": ("J } K } ball { link 1 link 2 ¦type weld }", ["'ball' says it all"]),
    "second target unknown": ("J } ball { link 1 ¦frame 7 }", ["frame 7 is not declared"]),
}

WHOLE_FILES = {
    "empty": ("¦", ["the file is empty", "RAFF v2.0 MyScene"]),
    "only a comment": ("// nothing\n¦", ["a MAD file starts with 'RAFF'"]),
    "another language": ("¦<?xml version='1.0'?>", ["a MAD file starts with 'RAFF'"]),
    "no name": ("RAFF v1.0¦", ["expected a name"]),
    "block in place of the name": ("RAFF v1.0 ¦{ }", ["unexpected '{'", "a name"]),
    "unknown version": ("RAFF ¦v3.0 A", ["MAD version 3.0 is not known; known are 1.0 to 1.9 and 2.0"]),
    "open comment": ("RAFF A\n  ¦/* robot", ["this comment is never closed"]),
    "open string": ('RAFF A sensor 1 { port ¦"COM1\n}', ["this string is never closed"]),
    "open block": ("RAFF A\nrobot a {\n base { }¦", ["'}' is missing for an open '{'"]),
    "open list": ("RAFF A sensor 1 { port (¦", ["')' is missing for an open '('"]),
    "one brace too many": ("RAFF A robot a { base { } } ¦}", ["unexpected '}'", "the end of the file"]),
    "robot without name": ("RAFF A robot ¦{ base { } }", ["unexpected '{'; expected a name"]),
    "robot without base": ("RAFF A ¦robot a { }", ["robot a needs 'base'"]),
    "robot twice": ("RAFF A robot a { base { } } ¦robot a { base { } }", ["robot a is declared twice"]),
    "sensor twice": ("RAFF A sensor 1 { } ¦sensor 1 { }", ["sensor 1 is declared twice"]),
    "word missing": ("RAFF A sensor 1 { type ¦}", ["unexpected '}'", "a word"]),
    "number for a word": ("RAFF A sensor 1 { ¦type 5 }", ["'type' takes a word"]),
    "a minus from a PDF": ("RAFF A sensor 1 { translation ¦−5 }", ["U+2212", "write '-' instead"]),
    "a character of no use": ("RAFF A sensor 1 { ¦$ }", ["unexpected '$'; expected a keyword"]),
    "a separator of other files": ("RAFF A sensor 1 { ¦\x1f }", ["unexpected '\\x1f'"]),
    "a zero byte": ("RAFF A sensor 1 { ¦\x00 }", ["unexpected '\\x00'"]),
    "unknown block": ("RAFF A ¦robo { }", ["unknown keyword 'robo' in a scene; did you mean 'robot'?"]),
    "unknown unit": ("RAFF v2.0 A unit ¦cm", ["'cm' is no value for 'unit'", "allowed: mm, m"]),
    "obstacle with pred": ("RAFF v2.0 A obstacle o { plane ¦pred 0 }", ["leave out 'pred'"]),
    "wheels": ("RAFF v2.0 A robot a { base { ¦mobile { type differential } } }", ["needs 'track'"]),
    "dead zone": ("RAFF v2.0 A device 1 { ¦deadzone 1 }", ["at most 0.9"]),
    "curve": ("RAFF v2.0 A device 1 { ¦curve 9 }", ["from 0.2 to 5"]),
    "devices of one name": (
        'RAFF v2.0 A device 1 { name "left" } device 2 { ¦name "left" }',
        ["a device named left is declared twice"],
    ),
    "a device named like another's number": (
        'RAFF v2.0 A device 1 { ¦name "2" } device 2 { }',
        ["a device named 2 would be taken for device 2 of line 1; choose another name"],
    ),
    "a device that is none": ("RAFF v2.0 A ¦device 0 { }", ["device 0 is 'none' in every list", "from 1"]),
    "controller without a robot": (
        'RAFF v2.0 A ¦controller { address "sim:arm" }',
        ["unknown keyword 'controller' in a scene; allowed: unit, device"],
    ),
    "one frame, two devices": (
        "RAFF v2.0 A device 1 { } device 2 { } robot a { base { } frame 3 { pred 0 } "
        "constraint { frame 3 device ( 1 ) } ¦constraint { frame 3 device ( 0 2 ) } }",
        ["frame 3 follows a device already", "device ( 0 1 2 )", "one leads at a time"],
    ),
    "one frame, three devices, the last two alike": (
        "RAFF v2.0 A device 1 { } device 2 { } device 3 { } robot a { base { } frame 3 { pred 0 } "
        "constraint { frame 3 device ( 1 ) axes ( x ) } constraint { frame 3 device ( 2 ) axes ( y ) }\n"
        "¦constraint { frame 3 device ( 3 ) axes ( y z ) } }",
        ["frame 3 follows a device already", "device ( 2 3 )"],
    ),
    "buttons": ("RAFF v2.0 A device 1 { deadman 1 ¦clutch 1 }", ["cannot be the same button"]),
}

J = "link 1 { type revolute pred 0 parameters { 0 0 0 0 }"
K = "link 2 { type prismatic pred 1 parameters { 0 0 0 0 }"


@pytest.mark.parametrize("case", IN_ROBOT)
def test_mistakes_inside_a_robot(case: str) -> None:
    line, words = IN_ROBOT[case]
    check(f"RAFF v1.0 A sensor 1 {{ type panel }} robot a {{\nbase {{ }}\n{line}\n}}", words)


@pytest.mark.parametrize("case", IN_ROBOT_2)
def test_mistakes_inside_a_robot_of_version_2(case: str) -> None:
    line, words = IN_ROBOT_2[case]
    line = line.replace("J", J).replace("K", K)
    check(f"RAFF v2.0 A device 1 {{ type panel }} robot a {{\nbase {{ }}\n{line}\n}}", words)


@pytest.mark.parametrize("case", WHOLE_FILES)
def test_mistakes_of_whole_files(case: str) -> None:
    check(*WHOLE_FILES[case])


def check(marked: str, words: list[str]) -> None:
    before = marked.split("¦")[0]
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    with pytest.raises(station.MadError) as caught:
        station.loads(marked.replace("¦", ""), "bench.mad")
    message = str(caught.value)
    assert len(caught.value.problems) == 1, message
    assert message.startswith(f"bench.mad:{line}:{column}: error: "), message
    assert (caught.value.line, caught.value.column) == (line, column)
    for word in words:
        assert word in message


def test_all_mistakes_are_told_together_in_the_order_of_the_file() -> None:
    # A second base is one too many for this file's shape, and from '5mm' there is no way to go on.
    lines = [line.replace("¦", "") for line, _ in IN_ROBOT.values() if "base" not in line and "5mm" not in line]
    text = "RAFF v1.0 A sensor 1 { type panel }\n"
    text += "\n".join(f"robot r{i} {{ base {{ }} {line} }}" for i, line in enumerate(lines))
    with pytest.raises(station.MadError) as caught:
        station.loads(text)
    told = [problem.line for problem in caught.value.problems]
    assert told == sorted(told)
    assert set(told) == set(range(2, len(lines) + 2))


def test_a_flood_of_unknown_words_is_cut_short() -> None:
    with pytest.raises(station.MadError) as caught:
        station.loads("RAFF A " + "spam 1 " * 500_000)
    assert str(caught.value) == (
        "<text>:1:708: error: this does not look like a MAD file: over 100 unknown keywords up to here"
    )


def test_a_long_list_of_mistakes_is_cut_in_the_message_and_kept_in_the_error() -> None:
    with pytest.raises(station.MadError) as caught:
        station.loads("RAFF A " + "spam 1 " * 90)
    assert len(caught.value.problems) == 90
    assert str(caught.value).splitlines()[50:] == ["… and 40 more"]


@pytest.mark.parametrize(
    ("inside", "error"),
    [
        (
            "limits { -1e12 1e12 }",
            "'limits' takes numbers from -5.73e+06 to 5.73e+06, not -1e12; a joint without stops",
        ),
        ("mass 1e308", "'mass' takes numbers from -1e+12 to 1e+12, not 1e308"),
        ("com { 0 1e9 0 }", "'com' takes numbers from -1e+08 to 1e+08, not 1e9"),
        ("inertia { 1e300 1 1 }", "'inertia' takes numbers from -1e+12 to 1e+12, not 1e300"),
        ("speed 1e-300", "'speed' must be more than 0, not 1e-300"),
    ],
)
def test_numbers_that_no_robot_has_are_refused(inside: str, error: str) -> None:
    parameters = "parameters { theta 0 r 0 alpha 0 d 0 }"
    text = f"RAFF v2.0 A\nrobot a {{ base {{ }} link 1 {{ {parameters} type 2 pred 0 {inside} }} }}"
    with pytest.raises(station.MadError) as caught:
        station.loads(text)
    assert error in str(caught.value)
    assert len(caught.value.problems) == str(caught.value).count("error:") > 0


def test_a_robot_of_more_parts_than_a_computer_can_move_is_refused() -> None:
    links = "".join(
        f"link {n} {{ parameters {{ theta 0 r 0 alpha 0 d 1 }} type 2 pred {n - 1} }}\n" for n in range(1, 502)
    )
    with pytest.raises(station.MadError, match="robot a has 501 joints; at most 500 are possible"):
        station.loads(f"RAFF v1.0 A robot a {{ base {{ }} {links} }}")


ARM = """robot arm {{ base {{ }}
  link 1 {{ parameters {{ theta 0 r {a} alpha 0 d 0 }} type 2 pred 0 limits {{ -{lim} {lim} }} }}
  link 2 {{ parameters {{ theta 0 r 0 alpha 90 d {a} }} type 2 pred 1 limits {{ -{lim} {lim} }} }}
  frame 3 {{ pos {{ {a} 0 0 }} ori {{ 0 0 0 }} pred 2 }} }}"""


@pytest.mark.parametrize(
    ("header", "a", "lim", "said"),
    [
        ("RAFF v2.0 A", "0.4", "170", ["robot arm is only 1.2 mm long; write 'unit m' if its lengths are metres"]),
        ("RAFF v2.0 A unit m", "400", "170", ["robot arm is 1200 m long; are its lengths millimetres?"]),
        ("RAFF v1.0 A", "400", "2.97", ["robot arm: no joint turns beyond 2.97°; are its stops radians?"]),
        ("RAFF v2.0 A unit m", "0.4", "9000", ["robot arm: all stops are beyond 30 rad; are they degrees?"]),
        ("RAFF v1.0 A", "400", "170", []),
        ("RAFF v2.0 A unit m", "0.4", "170", []),
        ("RAFF v1.0 A", "20", "8", []),
    ],
)
def test_units_that_were_mistaken_are_warned_of(header: str, a: str, lim: str, said: list[str]) -> None:
    scene = station.loads(f"{header}\n{ARM.format(a=a, lim=lim)}")
    assert [warning.text for warning in scene.warnings] == said
    assert all(warning.severity == "warning" and warning.line > 0 for warning in scene.warnings)


@pytest.mark.parametrize("name", robots.names())
def test_no_shipped_robot_has_mistaken_units(name: str) -> None:
    assert not station.load(robots.path(name)).warnings


def test_principal_moments_are_those_of_numpy() -> None:
    dice = np.random.default_rng(3)
    for _ in range(300):
        half = dice.normal(size=(3, 3)) * 10.0 ** dice.uniform(-8.0, 8.0)
        matrix = half + half.T
        wanted = np.linalg.eigvalsh(matrix)
        np.testing.assert_allclose(eigenvalues(matrix.tolist()), wanted, atol=1e-13 * np.abs(wanted).max())
    assert eigenvalues([[1.0, 1.0, 1.0]] * 3) == pytest.approx([0.0, 0.0, 3.0])
