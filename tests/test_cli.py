"""The command as people and programs run it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import robots
import station
from station.cli import FORMER, OFFERS
from station.cli import station as cli

URDF = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><visual><geometry><mesh filename="upper.stl"/></geometry></visual></link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><origin xyz="0 0 0.3" rpy="1.5707963267948966 0 0"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="2" velocity="3" effort="40"/>
  </joint>
</robot>"""


def run(*arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from station.cli import main; main()", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)


def mistake(*arguments: str | Path) -> str:
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1
    return done.stderr.strip()


def test_the_tour_names_all_robots() -> None:
    done = run("tour")
    assert done.returncode == 0
    assert "station check macdac" in done.stdout
    for name in robots.names():
        assert name in done.stdout


def test_what_the_tour_shows_works() -> None:
    lines = [line.strip() for line in run("tour").stdout.splitlines() if line.startswith("  station ")]
    shown = [re.split(r"\s{2,}", line)[0].split()[1:] for line in lines]
    tried = [
        arguments
        for arguments in shown
        if arguments and arguments[0] in ("check", "fk", "ik") and "my_robot.mad" not in arguments
    ]
    assert len(tried) >= 3
    for arguments in tried:
        done = run(*arguments)
        assert done.returncode == 0, (arguments, done.stderr)


@pytest.mark.parametrize("name", [offer.name for offers in OFFERS.values() for offer in offers])
def test_every_command_answers_h(name: str) -> None:
    done = CliRunner().invoke(cli, [name, "-h"])
    assert done.exit_code == 0, done.output
    assert done.output.startswith(f"Usage: station {name}")
    assert "  -h, --help" in done.output


def test_the_list_of_commands_is_grouped_and_loads_none() -> None:
    loaded = "print([m for m in sys.modules if m.startswith(('station.commands', 'numpy'))])"
    code = f"import sys; from station.cli import main\ntry: main()\nexcept SystemExit: pass\n{loaded}"
    done = subprocess.run([sys.executable, "-c", code, "-h"], capture_output=True, text=True, check=True)
    assert re.findall(r"^(\w+):$", done.stdout, re.MULTILINE) == ["Options", *OFFERS]
    assert done.stdout.endswith("[]\n")
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.parametrize(("former", "now"), FORMER.items())
def test_former_names_of_commands_work_with_a_hint(former: str, now: str) -> None:
    done = run(former, "-h")
    assert done.returncode == 0
    assert done.stderr == f"station: {former} is called {now} now\n"
    assert done.stdout.startswith(f"Usage: station {former}")


def test_former_names_of_options_work_with_a_hint(tmp_path: Path) -> None:
    out = tmp_path / "arm.mad"
    out.write_text("RAFF v2.0 Arm robot arm { base { } }", encoding="utf8")
    urdf = tmp_path / "arm.urdf"
    urdf.write_text(URDF, encoding="utf8")
    done = run("convert", urdf, out, "--force")
    assert done.returncode == 0
    assert done.stderr.splitlines()[0] == "station convert: --force is called --overwrite now"
    assert "--publish" in run("run", "--share=").stderr
    assert "station verify: --share is called --limit-fraction now" in run("verify", "--share", "0.5", "-h").stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_commands(shell: str) -> None:
    assert "_STATION_COMPLETE" in run("completion", shell).stdout
    words = {**os.environ, "_STATION_COMPLETE": "bash_complete", "COMP_WORDS": "station re", "COMP_CWORD": "1"}
    command = [sys.executable, "-c", "from station.cli import main; main()"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=words)
    assert [line.partition(",")[2] for line in done.stdout.split()] == [
        "release",
        "rehearse",
        "replay",
        "report",
        "recover",
    ]


def test_version() -> None:
    assert run("--version").stdout == f"station {station.__version__}\n"


@pytest.mark.parametrize("name", robots.names())
def test_check_of_every_robot(name: str) -> None:
    done = run("check", name, "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    scene = station.load(robots.path(name))
    assert told["ok"]
    assert told["problems"] == []
    assert [robot["name"] for robot in told["robots"]] == [robot.name for robot in scene.robots]
    assert [joint["id"] for joint in told["robots"][0]["joints"]] == [
        link.id for link in scene.robots[0].links if link.joint.name != "FIXED"
    ]
    rows = [closure["rows"] for closure in told["robots"][0]["closures"]]
    assert rows == [constraint.rows for constraint in scene.robots[0].constraints if constraint.closes_loop]


def test_check_draws_branches() -> None:
    drawn = run("check", "cross-delta").stdout
    for line in ("  ├─ link 1 ", "  │  link 2 ", "  │  frame 16", "  │  frame 17", "link 5 – frame 16: weld, 6 rows"):
        assert line in drawn


def test_check_says_what_speeds_are_assumed() -> None:
    drawn = run("check", "delta").stdout
    assert "  assumed   at most 2000°/s: links 2 to 5, 7 to 10, 12 to 15, by the robot's size" in drawn
    assert "assumed" not in run("check", "ur5e").stdout
    assert "at most 410.3°/s, reached in 20 ms where a hand leads: links 1 to 5, " in run("check", "macdac").stdout


def test_check_says_what_is_followed_first(tmp_path: Path) -> None:
    text = robots.path("scara").read_text(encoding="utf8")
    changed = re.sub(r"(constraint \{[^}]*?)\}", r"\1 priority orientation priority 3 }", text, count=1)
    assert changed != text
    file = tmp_path / "scara.mad"
    file.write_text(changed, encoding="utf8")
    assert ", orientation first  rank 3" in run("check", str(file)).stdout
    told = json.loads(run("check", str(file), "--json").stdout)["robots"][0]["following"][0]
    assert (told["first"], told["rank"]) == ("orientation", 3)


def test_mistakes_on_the_command_line_take_one_line(tmp_path: Path) -> None:
    assert mistake("fly") == "station: No such command 'fly'; see station --help"
    assert mistake("check") == "station: Missing argument 'FILE'; see station check --help"
    assert mistake("check", "--fast", "macdac").startswith("station: No such option")
    assert mistake("check", "nope").startswith(
        "nope: error: there is no such file, and no shipped robot of that name: "
    )
    assert mistake("check", tmp_path / "nope.mad").endswith("nope.mad: error: there is no such file")
    assert "is a directory" in mistake("check", tmp_path)


def test_mistakes_in_a_file_are_data_for_programs(tmp_path: Path) -> None:
    path = tmp_path / "arm.mad"
    path.write_text("RAFF A robot a { base { } frame 1 { pred 7 } frame 1 { pred 0 } }")
    done = run("check", path, "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, done.stderr, told["ok"]) == (2, "", False)
    assert [(problem["line"], problem["column"], problem["severity"]) for problem in told["problems"]] == [
        (1, 37, "error"),
        (1, 46, "error"),
    ]


def test_warnings_are_printed_beside_the_answer(tmp_path: Path) -> None:
    path = tmp_path / "arm.mad"
    path.write_text('RAFF A robot a { base { filename ( "x.nff" ) } }')
    done = run("check", path)
    assert done.returncode == 0
    assert "robot a" in done.stdout
    assert done.stderr.startswith(f"{path}:1:25: warning: mesh file 'x.nff'")


def test_a_long_file_is_announced(tmp_path: Path) -> None:
    path = tmp_path / "long.mad"
    path.write_text("RAFF A\n" + "// nothing to see\n" * 20_000)
    assert run("check", path).stderr == f"reading {path} (0.4 MB) …\n"


def test_convert(tmp_path: Path) -> None:
    urdf, mad = tmp_path / "arm.urdf", tmp_path / "out" / "arm.mad"
    urdf.write_text(URDF)
    (tmp_path / "upper.stl").write_text("")
    mad.parent.mkdir()
    done = run("convert", urdf, mad)
    assert done.returncode == 0, done.stderr
    assert "station check" in done.stdout
    link = station.load(mad).robots[0].links[0]
    assert (link.name, link.stops, link.speed, link.effort) == ("shoulder", (-1.0, 2.0), 3.0, 40.0)
    assert station.load(mad).warnings == ()  # the mesh is found from the folder of the new file
    assert json.loads(run("check", urdf, "--json").stdout)["ok"]


def test_convert_never_loses_a_file(tmp_path: Path) -> None:
    urdf, mad = tmp_path / "arm.urdf", tmp_path / "arm.mad"
    urdf.write_text(URDF)
    mad.write_text("precious")
    assert mistake("convert", urdf, mad) == f"{mad}: error: exists already; write over it with --overwrite"
    urdf.write_text(URDF.replace("revolute", "rotating"))
    assert "rotating" in mistake("convert", "--overwrite", urdf, mad)
    assert mad.read_text() == "precious"
    assert "is a MAD file already" in mistake("convert", mad, tmp_path / "b.mad")
    assert "no such file" in mistake("convert", tmp_path / "none.urdf", tmp_path / "b.mad")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["arm.mad", "arm.urdf"]
    urdf.write_text(URDF)
    assert run("convert", "--overwrite", urdf, mad).returncode == 0
    assert station.load(mad).robots[0].name == "arm"


def test_fk_prints_poses_as_a_file_would_write_them() -> None:
    done = run("fk", "macdac", "--frame", "6")
    assert done.returncode == 0
    assert done.stdout.splitlines()[1].split() == ["6", "112.804", "-73.000", "428.195", "0.000", "-60.000", "0.000"]
    told = json.loads(run("fk", "robuter-ulm", "--json", "--joints", "0,80,0,0,0,0").stdout)
    assert told["poses"]["7"][0][3] == pytest.approx(0.55827 + 0.030, abs=1e-5)  # the published pose, on its base


def test_ik_finds_joint_values_and_says_how_near() -> None:
    done = run("ik", "ur5e", "--frame", "flange", "--to=-400,-200,500,180,0,90", "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["reached"]) == (0, True)
    assert told["position_error"] < 1e-6
    back = run(
        "fk", "ur5e", "--frame", "7", "--joints", ",".join(f"{value * 57.29577951308232:.9f}" for value in told["q"])
    )
    assert [float(part) for part in back.stdout.splitlines()[1].split()[1:]] == pytest.approx(
        [-400, -200, 500, 180, 0, 90], abs=2e-3
    )


def test_ik_out_of_reach_gives_the_nearest_and_exit_code_1() -> None:
    done = run("ik", "ur5e", "--frame", "7", "--to=-4000,-200,500")
    assert done.returncode == 1
    assert "out of reach, this is the nearest found" in done.stdout


@pytest.mark.parametrize("method", ["pinv", "dls", "transpose", "ccd"])
def test_ik_by_the_books(method: str) -> None:
    done = run("ik", "puma560", "--frame", "7", "--to", "500,150,900", "--method", method)
    assert f"{method}: solved" in done.stdout


def test_mistakes_of_fk_and_ik_take_one_line() -> None:
    assert mistake("fk", "macdac", "--frame", "99").startswith("robot macdac has no frame 99; there are: ids 0, 1, 2")
    assert mistake("fk", "macdac", "--joints", "1,2").startswith("--joints takes 5 values for macdac, not 2")
    assert mistake("fk", "macdac", "--joints", "1,2,x,4,5").startswith("--joints takes numbers")
    assert "outside its stops" in mistake("fk", "macdac", "--joints", "99,0,0,90,180")
    assert mistake("ik", "macdac", "--frame", "6", "--to", "1,2").startswith("--to takes x,y,z or x,y,z,a,b,c")
    assert "pinv, dls, transpose, ccd, fabrik" in mistake(
        "ik", "scara", "--frame", "1", "--to", "1,2,3", "--method", "magic"
    )
    assert "free serial chain" in mistake("ik", "delta", "--frame", "5", "--to", "1,2,3", "--method", "dls")


def test_a_robot_that_cannot_be_assembled(tmp_path: Path) -> None:
    path = tmp_path / "open.mad"
    bar = "parameters {{ theta {t} r 0 alpha 0 d {d} }} type 2 pred {p}"
    path.write_text(
        "RAFF A robot a { base { } "
        f"link 1 {{ {bar.format(t=60, d=0, p=0)} }} link 2 {{ {bar.format(t=60, d=900, p=0)} }}"
        "frame 3 { pos { 100 0 0 } pred 1 } frame 4 { pos { 100 0 0 } pred 2 } ball { frame 3 frame 4 } }"
    )
    assert mistake("check", path).startswith("robot a cannot be assembled: frame 3 and frame 4 stay 700 mm")


def test_bench_refuses_what_there_is_not() -> None:
    assert "there are: parsing" in mistake("bench", "nothing")


def test_bench_alone_lists_what_there_is_and_measures_nothing() -> None:
    listed = run("bench")
    assert (listed.returncode, listed.stderr) == (0, "")
    assert "shaping" in listed.stdout
    about = json.loads(run("bench", "--json").stdout)
    assert next(iter(about)) == "parsing"
    for name in about:
        assert (Path(__file__).parents[1] / "benchmarks" / f"{name}.py").is_file()
        assert f"{name} " in listed.stdout


def test_nothing_is_installed_for_a_benchmark_unasked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from benchmarks.peers import environments

    monkeypatch.setattr(environments, "ROOT", tmp_path)
    monkeypatch.setattr(environments, "FOLDER", tmp_path / ".venv-peers")
    monkeypatch.setattr("sys.argv", ["benchmarks", "solver"])
    environments._made.cache_clear()
    with pytest.raises(environments.NotInstalledError, match=r"^--install-peers makes .venv-peers/placo for it$"):
        environments.python_of("placo")
    assert list(tmp_path.iterdir()) == []
    environments._made.cache_clear()


def test_a_group_alone_says_what_there_is() -> None:
    done = run("calibrate")
    assert done.returncode == 2
    assert done.stderr.startswith("Usage: station calibrate")
    assert "geometry" in done.stderr
