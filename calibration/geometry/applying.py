"""Apply: the scene with a robot as it was measured, written as a MAD file of its own; the nominal file stays as it is.

The file says which result it comes from and for which arm; whoever opens another arm with it is refused (see
`station.controllers.check_calibrated`).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from calibration.errors import ResultFileError, WrongDeviceError
from calibration.geometry.subject import robot_subject
from calibration.results import Result, load_results
from station.errors import MadError
from station.mad.files import loads
from station.mad.scene import Camera, Frame, Robot, Scene, Tool

METHOD = "robot geometry"


def result_for(path: str, robot: Robot, wanted: str | None = None, serial: str | None = None) -> Result:
    """The newest geometry of a robot in a result file, or that with an id, or the newest of one arm.

    Args:
        path: file of results; a WrongDeviceError if it is of another robot.
        robot: as its file has it.
        wanted: id of an earlier result.
        serial: of the arm. Arms of one kind have one file and differ in their dimensions, so a WrongDeviceError if the
            file knows several and neither is said.
    """
    held = [one for one in load_results(path, robot_subject(robot)) if one.method == METHOD]
    known = [one for one in held if wanted in (None, one.id)]
    if not known:
        ids = ", ".join(one.id for one in held) or "none"
        raise ResultFileError(f"{path}: holds no geometry {wanted or ''}; there are: {ids}".replace("  ", " "))
    arms = ", ".join(sorted({arm_of(one) or "one that is not named" for one in known}))
    if serial is not None:
        known = [one for one in known if arm_of(one) == serial]
        if not known:
            raise WrongDeviceError(f"{path}: holds no such geometry of the arm {serial}; there is: {arms}")
    if len({arm_of(one) for one in known}) > 1:
        raise WrongDeviceError(f"{path}: holds geometry of several arms: {arms}; say which with --serial, or --id")
    return known[0]


def arm_of(result: Result) -> str:
    """Serial number of the arm that was measured; empty if nobody said."""
    return str(result.values.get("serial_number") or "")


def applied(scene: Scene, name: str, result: Result, path: str | Path = "") -> Scene:
    """The scene with a robot corrected; the result, of the file `path`, must be of this robot's geometry."""
    robot = scene.robot(name)
    try:
        measured = loads(str(result.values["mad"]), "result").robot(name)
    except (KeyError, MadError):
        raise ResultFileError(f"result {result.id} holds no robot {name}; was it written by this program?") from None
    note = result.noted(path, robot_subject(robot).id, arm_of(result))
    made = replace(_corrected(robot, measured), calibrated=note)
    robots = tuple(made if one.name == name else one for one in scene.robots)
    return replace(scene, version=max(scene.version or (1, 0), (2, 0)), robots=robots)


def _corrected(robot: Robot, measured: Robot) -> Robot:
    """Everything of the nominal robot, with the dimensions that were measured, and the frames that these need."""
    links = {link.id: link for link in measured.links}
    frames = {frame.id: frame for frame in measured.frames}
    known = {frame.id for frame in (*robot.frames, *robot.tools, *robot.cameras)}

    def placed(frame: Frame) -> dict[str, object]:
        found = frames[frame.id]
        return {"pos": found.pos, "ori": found.ori, "pred": found.pred}

    def tool(one: Tool) -> Tool:
        return replace(one, **placed(one))  # type: ignore[arg-type]

    def camera(one: Camera) -> Camera:
        return replace(one, **placed(one))  # type: ignore[arg-type]

    return replace(
        robot,
        links=tuple(
            replace(one, parameters=links[one.id].parameters, pred=links[one.id].pred, gear=links[one.id].gear)
            for one in robot.links
        ),
        frames=(
            *(replace(one, **placed(one)) for one in robot.frames),  # type: ignore[arg-type]
            *(frame for name, frame in frames.items() if name not in known),
        ),
        tools=tuple(tool(one) for one in robot.tools),
        cameras=tuple(camera(one) for one in robot.cameras),
    )
