"""Apply: the scene with a robot as it was measured, written as a MAD file of its own; the nominal file stays as it is.

The file says which result it comes from and for which arm; whoever opens another arm with it is refused (see
`station.controllers.check_calibrated`).
"""

from __future__ import annotations

from dataclasses import replace

from calibration.errors import ResultFileError
from calibration.geometry.subject import robot_subject
from calibration.results import Result, load_results
from station.errors import MadError
from station.mad.files import loads
from station.mad.scene import Calibrated, Camera, Frame, Robot, Scene, Tool

METHOD = "robot geometry"


def result_for(path: str, robot: Robot, wanted: str | None = None) -> Result:
    """The newest geometry of a robot in a result file, or that with an id; a WrongDeviceError if it is of another."""
    held = [one for one in load_results(path, robot_subject(robot)) if one.method == METHOD]
    for one in held:
        if wanted is None or one.id == wanted:
            return one
    known = ", ".join(one.id for one in held) or "none"
    raise ResultFileError(f"{path}: holds no geometry {wanted or ''}; there are: {known}".replace("  ", " "))


def applied(scene: Scene, name: str, result: Result) -> Scene:
    """The scene with a robot corrected; the result must be of this robot's geometry."""
    robot = scene.robot(name)
    try:
        measured = loads(str(result.values["mad"]), "result").robot(name)
    except (KeyError, MadError):
        raise ResultFileError(f"result {result.id} holds no robot {name}; was it written by this program?") from None
    note = Calibrated(
        result=result.id, nominal=robot_subject(robot).id, serial=str(result.values.get("serial_number") or "") or None
    )
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
        links=tuple(replace(one, parameters=links[one.id].parameters, pred=links[one.id].pred) for one in robot.links),
        frames=(
            *(replace(one, **placed(one)) for one in robot.frames),  # type: ignore[arg-type]
            *(frame for name, frame in frames.items() if name not in known),
        ),
        tools=tuple(tool(one) for one in robot.tools),
        cameras=tuple(camera(one) for one in robot.cameras),
    )
