"""Random sequences of everything that can happen: the target never moves more than hand and rates explain."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from station.devices.device import AxisKind, Sample
from station.devices.mapping import Bubble, LockFrame, MappingSettings, Mode, Response
from station.mad.scene import ReferenceFrame
from tests.devices.mapping.hands import BUTTONS, POINTING, TWISTING, Array, Bench, moved, pose_of

HAND_SPEED, WRIST_SPEED = BUTTONS.hand_speed, BUTTONS.hand_turn_speed
MIXED = (AxisKind.ABSOLUTE,) * 3 + (AxisKind.INCREMENTAL,) * 3
LARGEST_SCALE = 3.0

vectors = st.tuples(*[st.floats(-1.0, 1.0)] * 3)
events = st.one_of(
    st.tuples(st.just("hand"), vectors, vectors),
    st.tuples(st.just("hand"), vectors, vectors),
    st.tuples(st.just("buttons"), st.sampled_from([0, 1, 1, 1, 2, 3])),
    st.tuples(st.just("buttons"), st.sampled_from([0, 1, 1, 1, 2, 3])),
    st.tuples(st.just("scale"), st.tuples(*[st.floats(-LARGEST_SCALE, LARGEST_SCALE)] * 6)),
    st.tuples(st.just("locks"), st.tuples(*[st.booleans()] * 6), st.sampled_from(list(LockFrame))),
    st.tuples(st.just("reference"), st.sampled_from(list(ReferenceFrame))),
    st.tuples(st.just("motion"), st.sampled_from([POINTING, TWISTING, MIXED])),
    st.tuples(st.just("view"), vectors),
    st.tuples(st.just("robot"), vectors, vectors),
    st.tuples(st.just("held"), st.booleans()),
    st.tuples(st.just("permitted"), st.booleans()),
)
troubles = st.one_of(
    events,
    st.tuples(st.just("silence"), st.integers(1, 30)),
    st.tuples(st.just("spike"), vectors, vectors),
    st.tuples(st.just("slip"), vectors, vectors),
    st.tuples(st.just("nan"), st.integers(0, 2)),
    st.tuples(st.just("not ready"), st.integers(1, 3)),
)


class Story:
    """A bench to which events happen; every tick is checked."""

    def __init__(self) -> None:
        self.bench = Bench(MappingSettings(engagement=BUTTONS, motion=MIXED, bubble=Bubble(radius=0.0)))
        self.was, self.target = Mode.NO_SAMPLE, self.bench.mapping.target.copy()
        self.permitted = True

    def happens(self, name: str, *values: object) -> float:
        """Let an event happen; returns what the hand moves in it [m + rad]."""
        bench = self.bench
        if name in ("hand", "spike", "slip"):
            way, turn = (np.array(value) for value in values)
            far = 1e-3 if name == "hand" else 0.3
            return self.hand_moves(name, far * way, 5 * far * turn)
        if name == "buttons":
            bench.buttons = int(str(values[0]))
        elif name == "view":
            bench.view = pose_of(turn=3 * np.array(values[0]))
        elif name == "robot":  # also while engaged: something else has moved it
            bench.robot = pose_of(values[0], 3 * np.array(values[1]))
        elif name == "held":
            bench.held = bool(values[0])
        elif name == "permitted":
            self.permitted = bool(values[0])
        elif name in ("silence", "not ready"):
            for _ in range(int(str(values[0]))):
                self.tick(0.0, sample=None, ready=name == "silence")
        elif name == "nan":
            bad = bench.sample()
            (bad.pose[:3, 3], bad.pose[:3, 0], bad.velocity)[int(str(values[0]))][:] = np.nan
            self.tick(0.0, sample=bad)
        else:
            self.change(name, values)
        return 0.0

    def hand_moves(self, name: str, way: Array, turn: Array) -> float:
        """The hand goes on, or the encoder reads far off for once, or for good."""
        bench = self.bench
        there = bench.hand.copy()
        there[:3, 3] += way
        there[:3, :3] = pose_of(turn=turn)[:3, :3] @ there[:3, :3]
        if name == "spike":
            self.spike(bench.sample()._replace(pose=there))
            return 0.0
        bench.hand = there
        return float(np.linalg.norm(way)) + float(np.linalg.norm(turn)) if name == "hand" else 0.0

    def spike(self, sample: Sample) -> None:
        """One sample far off: what a hand can do since the last one is believed, and what it cannot moves nothing."""
        before, was, refused = self.target.copy(), self.was, self.bench.mapping.refused
        self.tick(None, sample=sample)
        engaged = was is Mode.ENGAGED and self.was is Mode.ENGAGED
        if engaged and self.bench.mapping.refused > refused:
            self.check(moved(before, self.target), 1e-3, 0.0)

    def change(self, name: str, values: tuple[object, ...]) -> None:
        """Change a setting."""
        old = self.bench.mapping.settings
        if name == "locks":
            self.bench.mapping.change(replace(old, locks=values[0], lock_frame=values[1]))  # type: ignore[arg-type]
        else:
            self.bench.mapping.change(replace(old, **{name: values[0]}))  # type: ignore[arg-type]

    def tick(self, hand: float | None, sample: object = "new", ready: bool = True) -> None:
        """One tick; `hand` is what it moved, None if samples may have been late."""
        robot = self.bench.robot.copy()
        dt = 1e-3
        target = self.bench.tick(sample, dt, ready=ready, permitted=self.permitted)  # type: ignore[arg-type]
        assert np.isfinite(target).all()
        np.testing.assert_allclose(target[:3, :3] @ target[:3, :3].T, np.eye(3), atol=1e-9)
        mode = self.bench.mode()
        if mode is not Mode.ENGAGED:
            np.testing.assert_array_equal(target, robot)
        elif self.was is not Mode.ENGAGED:
            np.testing.assert_allclose(target, robot, atol=1e-9)
        else:
            self.check(moved(self.target, target), dt, hand)
        self.was, self.target = mode, target

    def check(self, way: Array, dt: float, hand: float | None) -> None:
        """No more than the hand's motion times the scale, plus the rates."""
        response: Response = self.bench.mapping.settings.response
        largest = LARGEST_SCALE * (1 + 1e-9)
        straight, turning = (np.sqrt(3) * rate * dt for rate in (response.straight_rate, response.turning_rate))
        by_hand = (HAND_SPEED * dt, WRIST_SPEED * dt) if hand is None else (hand, hand)
        assert np.linalg.norm(way[:3]) <= largest * (by_hand[0] + straight) + 1e-9
        assert np.linalg.norm(way[3:]) <= largest * (by_hand[1] + turning) + 1e-9


@settings(max_examples=150, deadline=None)
@given(st.lists(events, min_size=5, max_size=60))
def test_with_good_samples_the_target_moves_by_hand_and_rates_only(story: list[tuple[object, ...]]) -> None:
    bench = Story()
    bench.tick(0.0)
    bench.happens("buttons", 1)
    bench.tick(0.0)
    for name, *values in story:
        bench.tick(bench.happens(str(name), *values))


@settings(max_examples=150, deadline=None)
@given(st.lists(troubles, min_size=5, max_size=60))
def test_with_any_trouble_the_target_is_never_faster_than_a_hand(story: list[tuple[object, ...]]) -> None:
    bench = Story()
    bench.tick(None)
    bench.happens("buttons", 1)
    bench.tick(None)
    for name, *values in story:
        bench.happens(str(name), *values)
        bench.tick(None)
