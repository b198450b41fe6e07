"""`Tracker`: answers who asks for the place of an arm's tool, as it truly is, from where the tracker stands."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from sim_devices.instrument.serving import Beside
from sim_devices.instrument.settings import TrackerSettings
from station.devices.parameter import SettingsError
from station.mad.placement import world_poses

if TYPE_CHECKING:
    from firmware_bridge.instrument.lines import Floats
    from sim_devices.arm import EmulatedArm


def parse_tracker(arm: EmulatedArm, text: str, seed: int) -> Tracker:
    """A tracker by words: `flange`, or `flange,noise=0.0001,turns=1`; raises a SettingsError with one line."""
    frame, *pairs = text.split(",")
    known = {field.name: field for field in fields(TrackerSettings)}
    given: dict[str, float] = {}
    for name, _, value in (pair.partition("=") for pair in pairs):
        if name not in (*known, "port"):
            raise SettingsError(f"{name}: no number of a tracker; there are: {', '.join((*known, 'port'))}")
        try:
            given[name] = float(value)
        except ValueError:
            raise SettingsError(f"{name} is {value!r}; allowed: a number") from None
    port = int(given.pop("port", 0))
    made: Any = TrackerSettings()
    made = replace(made, **{name: value for name, value in given.items() if name != "turns"})
    places = {item.name or str(item.id): item.id for item in arm.robot.placed()}
    places |= {str(item.id): item.id for item in arm.robot.placed()}
    if frame not in places:
        raise SettingsError(f"robot {arm.robot.name} has no {frame!r} to track; there are: {', '.join(places)}")
    return Tracker(arm, places[frame], replace(made, turns=bool(given.get("turns", 0.0))), seed, port)


class Tracker(Beside):
    """A tracker beside an emulated arm."""

    def __init__(
        self, arm: EmulatedArm, frame: int, settings: TrackerSettings | None = None, seed: int = 0, port: int = 0
    ) -> None:
        """Set it up beside an arm.

        Args:
            arm: whose frame it sees.
            frame: id of the frame that carries the target.
            settings: what it is like.
            seed: of its noise and of where it stands.
            port: to listen at; 0: any that is free.
        """
        self._arm, self._frame = arm, frame
        super().__init__(settings, seed, port)

    @property
    def truth(self) -> Floats:
        """Where the frame is in the robot's world (4, 4) [m]; nobody on the station's side may look."""
        world, name = self._arm.world, self._arm.robot.name
        moving = (link.id for link in world.built.trees[name].moving)
        joints = dict(zip(moving, self._arm.body.all_q.tolist(), strict=True))
        return world_poses(world.true_parameters(name).robot, joints)[self._frame]
