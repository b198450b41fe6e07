"""An arm that is led from pose to pose over its real link, and stands still while it is measured.

The move is planned within the arm's own limits and compared with what is around the robot before the arm is asked to
follow, as `station park` does; while somebody measures, the arm holds by itself, so nobody has to hurry.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from calibration.errors import PoseError
from calibration.loop_room import LoopRoom
from calibration.parameters import Floats
from station.bench import Bench
from station.clock import WALL, Clock
from station.collision import Surroundings
from station.controllers import Controller
from station.controllers.shaping import ShapingError
from station.mechanism import Mechanism
from station.run.park import Mover, check_fit
from station.run.parking_way import Destination, PostureError, way

READINGS = 20  # of the encoders, averaged
STILL = 2e-5  # that readings of a standing arm may differ [rad | m]
STAND_WITHIN = 3.0  # [s]


class Stood(NamedTuple):
    """An arm that stands."""

    joints: Floats  # driven joints as the controller tells them, averaged [rad | m]
    spread: float  # largest difference between readings [rad | m]


class ArmLead:
    """Leads an arm to poses; every move begins and ends at a standstill."""

    def __init__(
        self,
        scene: Bench,
        mechanism: Mechanism,
        controller: Controller,
        share: float = 0.25,
        clock: Clock = WALL,
        surroundings: Surroundings | None = None,
        still: float = STILL,
    ) -> None:
        """Take an arm.

        Args:
            scene: to which the robot belongs.
            mechanism: the nominal robot; it is moved.
            controller: the arm, in the order of the robot's joints.
            share: of the limits of file and arm to move at.
            clock: of the arm.
            surroundings: what must not be touched; made from the scene if None.
            still: that readings of a standing arm may differ [rad | m]; coarse encoders need more.
        """
        self.controller, self._clock, self.still = controller, clock, still
        self._mechanism, self._mover = mechanism, Mover(mechanism, controller, share, clock)
        self._surroundings = surroundings or Surroundings(scene, mechanism)
        self._room = LoopRoom(mechanism)

    def go(self, joints: Floats) -> Stood:
        """Move there and stand; a PoseError if there is no free way, a StationError if the arm does not go."""
        start = self._mover.wait_for_measurement()
        destination = Destination("next", np.asarray(joints, dtype=np.float64))
        self._check_way(start.q, destination)
        try:
            duration = self._mover.begin(destination)
            self._mover.go(duration, lambda _: None)
            self._mover.settle(destination.q)
        except ShapingError as error:
            raise PoseError(str(error)) from None
        except BaseException:
            self._mover.brake()
            raise
        finally:
            self._mover.let_hold()
        return self.stand()

    def stand(self) -> Stood:
        """Where the arm stands; waits until its readings agree."""
        end = self._clock.now() + STAND_WITHIN
        readings: list[Floats] = []
        while len(readings) < READINGS:
            said = self._mover.wait_for_measurement()
            readings.append(said.q)
            if np.ptp(readings, axis=0).max() > self.still:
                readings = [said.q]
            if self._clock.now() > end:
                raise PoseError(f"the arm does not stand still within {self.still:g} rad or m")
        check_fit(self.controller)
        return Stood(np.mean(readings, axis=0), float(np.ptp(readings, axis=0).max()))

    def _check_way(self, start: Floats, destination: Destination) -> None:
        try:
            path = way(self._mechanism, start, destination, self._mover.shaper.limits)
        except (PostureError, ShapingError) as error:
            raise PoseError(str(error)) from None
        trouble = self._room.trouble(path)
        if trouble:
            raise PoseError(f"on the way {trouble}")
        touch = self._surroundings.clear_path(path).touch
        if touch is not None:
            raise PoseError(f"on the way {touch.pair.body} would touch {touch.pair.obstacle}")
