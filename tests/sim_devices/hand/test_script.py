"""Scripts as text and as data, buttons and grip over time, and errors in one line."""

from __future__ import annotations

import math

import pytest

from sim_devices.hand import Hand, ScriptError, default_script, parse_script
from sim_devices.hand.holding import Again, Grasp, LetGo, Press, Release, Strength, Tighten, Tremor, Watch
from sim_devices.hand.moves import Circle, Clutch, Hold, Push, Reach, Tap, Twist
from sim_devices.hand.script import VERBS
from station.devices.falcon import BUTTONS as FALCON_BUTTONS
from station.devices.syntaxer.model import BUTTONS

EVERYTHING = """
hold 0.5; reach 0.22 0.05 0.03 in 0.8   # a comment
circle radius=40mm period=2 for 4
push x=-0.05 force=6N for 1; tremor 0.3mm
tighten 0.8 in 200ms; strength 3N
watch deadman; press deadman; release deadman; clutch; clutch 0.2 0 0 in 0.5 with=left
twist z=8deg for 1
tap wall x=0.2 times=5 every=0.5 depth=5mm
let go; grasp; again
"""


def test_every_move_can_be_written_and_means_the_same_as_data() -> None:
    assert parse_script(EVERYTHING) == [
        Hold(0.5),
        Reach(0.22, 0.05, 0.03, 0.8),
        Circle(0.04, 2.0, 4.0),
        Push(6.0, 1.0, x=-0.05),
        Tremor(0.3 * 0.001),
        Tighten(0.8, 0.2),
        Strength(3.0),
        Watch("deadman"),
        Press("deadman"),
        Release("deadman"),
        Clutch(),
        Clutch(0.2, 0.0, 0.0, 0.5, "left"),
        Twist(1.0, z=8.0 * (math.pi / 180.0)),
        Tap(5.0, x=0.2, every=0.5, depth=0.005),
        LetGo(),
        Grasp(),
        Again(),
    ]
    assert {type(move) for move in parse_script(EVERYTHING)} == {verb.make for verb in VERBS.values()}


def test_data_and_text_make_the_same_hand() -> None:
    text, data = Hand("hold 0.5; press deadman; hold 1"), Hand([Hold(0.5), Press("deadman"), Hold(1.0)])
    assert text.duration == data.duration == 1.5
    assert [text.buttons(t) for t in (0.0, 0.6)] == [data.buttons(t) for t in (0.0, 0.6)] == [0, 1]


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("hold 1\njump 3", "line 2: unknown move 'jump'; there are: hold, reach, circle"),
        ("hold", "it is written: hold T"),
        ("hold 1 2", "it is written: hold T"),
        ("hold 5mm", "hold: seconds '5mm' cannot be read; allowed: a time, as a number or with s, ms behind it"),
        ("hold nan", "cannot be read"),
        ("hold -1", "hold: allowed"),
        ("reach 1 2", "it is written: reach X Y Z"),
        ("reach 1 2 3 in 0", "reach: allowed: a time above 0 s"),
        ("circle radius=0.1 for 2", "it is written: circle radius=R period=P"),
        ("circle radius=0.1 period=2 for 2 plane=up", "plane=xy, plane=yz or plane=xz"),
        ("circle radius=0.1 radius=0.2 period=2 for 1", "takes no 'radius' here"),
        ("push force=3 for 1", "at least one of x=, y=, z="),
        ("push x=3 power=3 for 1", "push takes no 'power' here; it is written: push"),
        ("twist z=8mm for 1", "an angle"),
        ("tap wall x=1 y=2 times=3", "one of x=, y=, z="),
        ("tap wall x=1 times=2.5", "times=1, 2, 3"),
        ("tighten 2", "a grip from 0 to 1"),
        ("tremor 1", "from 0 to 10 mm"),
        ("clutch 1 2", "it is written: clutch"),
        ("again; hold 1", "only as the last move"),
        ("again", "only after moves that take time"),
        ("press trigger", "no button 'trigger'; there are: deadman, index, left, right"),
        ("watch trigger", "no button 'trigger'"),
        ("watch", "it is written: watch BUTTON"),
        ("let go; reach 1 2 3", "reach after 'let go'; allowed: hold, grasp"),
    ],
)
def test_a_mistake_is_told_in_one_line_with_what_is_allowed(script: str, message: str) -> None:
    with pytest.raises(ScriptError, match=r"^[^\n]*$") as caught:
        Hand(script)
    assert message in str(caught.value)


def test_buttons_follow_the_script_at_any_time_in_any_order() -> None:
    hand = Hand(
        "hold 1; press deadman; hold 1; clutch 0.2 0 0 in 1; hold 1; release deadman; hold 1; press left; let go"
    )
    expected = {0.5: 0, 1.0: 1, 1.5: 1, 2.5: 3, 3.5: 1, 4.5: 0, 5.5: 0}
    for time in (5.5, 0.5, 2.5, 1.0, 4.5, 3.5, 1.5):
        assert hand.buttons(time) == expected[time], time


def test_the_grip_tightens_in_its_time() -> None:
    hand = Hand("tighten 0 in 0.1; tighten 0.8 in 0.2; hold 1; let go")
    grips = [hand.grip(0.1 + 0.02 * n) for n in range(11)]
    assert grips == sorted(grips)
    assert grips[0] == pytest.approx(0.0)
    assert hand.grip(0.2) == pytest.approx(0.4)
    assert hand.grip(0.31) == 0.8
    assert hand.grip(2.0) == 0.0


def test_the_default_scripts_fit_their_devices() -> None:
    hand = Hand(default_script(), buttons=BUTTONS)
    held = [hand.buttons(0.01 * n) & 1 for n in range(int(hand.duration * 100))]
    assert held[0] == 0
    assert held[-1] == 0
    assert sum(held) > 500  # the dead-man is held meanwhile
    assert Hand(default_script("falcon"), buttons=FALCON_BUTTONS).duration > 5.0


def test_a_clutch_without_a_place_goes_back_to_where_the_hand_began() -> None:
    hand = Hand("hold 0.1; reach 0.3 0 0 in 0.5; clutch in 0.5; hold 1")
    places = []
    for step in range(1300):
        hand.force((0.2, 0.0, 0.0), (0.0, 0.0, 0.0), 0.001 * step)
        places.append(hand.timeline.aim(hand.timeline.at(0.001 * step)).place[0])
    assert max(places) == pytest.approx(0.3, abs=1e-6)
    assert places[-1] == pytest.approx(0.2)
