"""The real `forcedimension-core` on a library of the SDK's functions that a C compiler makes here: types and order of
arguments, which a fake in Python would not notice. What the maker's SDK itself does is not shown by this."""

from __future__ import annotations

import importlib.util
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = importlib.util.find_spec("forcedimension_core")
COMPILER = shutil.which("cc") or shutil.which("gcc")
pytestmark = pytest.mark.skipif(
    PACKAGE is None or COMPILER is None, reason="forcedimension-core or a C compiler is not installed"
)

# Functions that do something; all others return 0.
BEHAVIOUR = r"""
#include <string.h>
static double force[6]; static int force_on, watchdog, guard = 9, gravity, window;
int dhdGetSDKVersion(int *a, int *b, int *c, int *d) { *a = 3; *b = 17; *c = 0; *d = 0; return 0; }
int dhdGetDeviceCount(void) { return 1; }
int dhdOpenID(char id) { return id; }
int dhdOpenSerial(int serial) { return serial == 77 ? 0 : -1; }
int dhdGetSystemType(char id) { return 104; }
int dhdGetSerialNumber(unsigned short *serial, char id) { *serial = 77; return 0; }
int dhdErrorGetLast(void) { return 5; }
const char *dhdErrorGetLastStr(void) { return "no device found"; }
int dhdEnableForce(unsigned char on, char id) { force_on = on; return 0; }
int dhdSetGravityCompensation(int on, char id) { gravity = on; return 0; }
int dhdConfigLinearVelocity(int ms, int mode, char id) { window = ms; return 0; }
int dhdSetTimeGuard(int us, char id) { guard = us; return 0; }
int dhdSetWatchdog(unsigned char duration, char id) { watchdog = duration; return 0; }
int dhdGetStatus(int status[17], char id) {
  memset(status, 0, 17 * sizeof(int));
  status[0] = status[1] = status[3] = 1; status[5] = force_on; return 0;
}
int dhdGetPositionAndOrientationFrame(double *x, double *y, double *z, double m[3][3], char id) {
  *x = 0.01; *y = force[1]; *z = watchdog;
  memset(m, 0, 9 * sizeof(double)); m[0][1] = -1; m[1][0] = 1; m[2][2] = 1; return 0;
}
int dhdGetLinearVelocity(double *x, double *y, double *z, char id) { *x = window; *y = gravity; *z = guard; return 0; }
int dhdGetAngularVelocityRad(double *x, double *y, double *z, char id) { *x = 1; *y = 2; *z = 3; return 0; }
int dhdGetGripperAngleRad(double *angle, char id) { *angle = 0.2617993877991494; return 0; }
unsigned int dhdGetButtonMask(char id) { return 1; }
int dhdSetForceAndTorqueAndGripperForce(double x, double y, double z, double a, double b, double c, double g, char id) {
  force[0] = x; force[1] = y; force[2] = z; force[3] = a; force[4] = b; force[5] = c; return y > 5 ? 2 : 0;
}
"""
PROGRAM = r"""
import json
import numpy as np
from firmware_bridge.force_dimension.device import SCHEME
from station.clock import VirtualClock
from station.devices.address import parse_address

clock = VirtualClock()
device = SCHEME.open(parse_address("forcedimension:?serial=77"), clock)
device.enable_force()
for _ in range(3):
    clock.advance(0.001)
    sample = device.newest()
    device.command(np.array((1.0, 7.5, 3.0, 0.0, 0.0, 0.0)))
print(json.dumps({
    "model": device.capabilities.model, "place": sample.pose[:3, 3].tolist(), "turn": sample.pose[:3, :3].tolist(),
    "velocity": sample.velocity.tolist(), "buttons": sample.buttons, "grip": sample.grip,
    "saturated": device.saturated, "status": device.status, "found": len(list(SCHEME.find())),
}))
device.close()
"""


def build(folder: Path) -> None:
    """A library with all names that the package asks for."""
    assert PACKAGE is not None
    assert PACKAGE.submodule_search_locations is not None
    texts = [path.read_text() for path in Path(PACKAGE.submodule_search_locations[0]).rglob("*.py")]
    names = {name for text in texts for name in re.findall(r"_lib(?:dhd|drd)\.(\w+)", text)}
    written = set(re.findall(r"(dhd\w+)\(", BEHAVIOUR))
    rest = "\n".join(f"int {name}(void) {{ return 0; }}" for name in sorted(names - written))
    source = folder / "fake.c"
    source.write_text(BEHAVIOUR + rest)
    place = folder / "lib" / "release" / f"lin-{platform.machine()}-gcc"
    place.mkdir(parents=True)
    subprocess.run([str(COMPILER), "-shared", "-fPIC", "-o", place / "libdrd.so.3.17.0", source], check=True)


def run(folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "FDSDK": str(folder), "HOME": str(folder)}
    return subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=False)


def test_the_driver_speaks_to_the_library_through_the_real_package(tmp_path: Path) -> None:
    build(tmp_path)
    done = run(tmp_path)
    assert done.stderr == ""
    told = json.loads(done.stdout)
    assert told["model"] == "Force Dimension sigma.7 right"
    assert told["place"] == [0.01, 7.5, 160.0]
    assert told["turn"] == [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    assert told["velocity"] == [10.0, 1.0, 0.0, 1.0, 2.0, 3.0]
    assert told["grip"] == pytest.approx(0.5)
    assert (told["buttons"], told["status"], told["found"]) == (1, "ready", 1)
    assert told["saturated"] > 0


def test_without_the_sdk_one_line_says_what_to_install(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert done.returncode != 0
    assert "set FDSDK to its folder" in done.stderr.splitlines()[-1]
    assert "Could not find libdrd" not in done.stderr
