"""Moments of a station that never ran: for pictures of the manual and for tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from station.servo.shared import ControllerCode, ServoState, Snapshot
from station.servo.shared.memory import layout_of
from station.view.moment import Link, Moment
from station.view.robot import DrawnRobot, followed


def staged(robot: DrawnRobot, number: int = 1, text: Mapping[str, Any] | None = None, **fields: Any) -> Moment:
    """A moment in which the robot is engaged and both looks are where they are drawn; `fields` as the table has them.

    Args:
        robot: whose poses and joint values it tells; it must have a tool or a followed frame.
        number: of the publication.
        text: what the station would tell of itself.
        fields: anything else, by the names of the table in docs/shared_state.md.
    """
    layout = layout_of(robot.kinematics.joints)
    numbers = np.zeros(layout.snapshot, np.int64)
    tool = followed(robot.robot)[0]
    usual: dict[str, Any] = {
        "tick": number,
        "state": ServoState.ENGAGED,
        "leads": True,
        "controller_status": ControllerCode.ACTIVE,
        "followed_frame": tool,
        "predicted_q": robot.q,
        "predicted_pose": robot.pose(tool),
        "target_pose": robot.pose(tool),
        "hand_pose": np.eye(4),
        "commanded_q": robot.q,
        "commanded_pose": robot.pose(tool),
        "measured_q": robot.q,
        "measured_pose": robot.pose(tool, measured=robot.measured.shown),
        "measured_effort": np.nan,
        "measured_temperature": np.nan,
        "link_round_trip": np.nan,
        "scale": 1.0,
        "obstacle_distance": 1e9,
    }
    for name, value in {**usual, **fields}.items():
        layout.by_name[name].view(numbers)[...] = value
    snapshot = Snapshot(layout, numbers, number)
    return Moment(snapshot, silence=0.0, link=Link.FOLLOWING, text=text or {}, fresh=True, joints=len(robot.q), epoch=1)
