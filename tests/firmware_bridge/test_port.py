"""Ports that cannot be opened: one line with the cause and what to do."""

from __future__ import annotations

import errno
import os
import pwd
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from firmware_bridge.port import open_serial, port_error
from sim_devices.ends import PtyEnd, UnixEnd
from station.devices import open_device
from station.devices.errors import (
    AddressError,
    DeviceBusyError,
    DeviceDeniedError,
    DeviceError,
    DeviceLostError,
    DeviceMismatchError,
    DeviceNotFoundError,
    DeviceSilentError,
)


def one_line(error: DeviceError) -> str:
    text = str(error)
    assert "\n" not in text
    return text


def test_a_port_that_is_not_there() -> None:
    with pytest.raises(DeviceNotFoundError) as caught:
        open_device("serial:/dev/ttyNOTHING7")
    assert "there are:" in one_line(caught.value)


@pytest.mark.parametrize("path", ["/etc/passwd", "/dev/null", "/"])
def test_something_that_is_no_port(path: str) -> None:
    with pytest.raises(DeviceMismatchError, match="not a serial port"):
        open_device(f"serial:{path}")


def test_a_port_that_another_program_has() -> None:
    end = PtyEnd("busy")
    port = open_serial(end.name)
    try:
        with pytest.raises(DeviceBusyError) as caught:
            open_device(f"serial:{end.name}")
        assert f"(process {os.getpid()})" in one_line(caught.value)
    finally:
        port.close()
        end.close()


def test_permission_that_is_missing_is_told_with_the_remedy() -> None:
    found = port_error("/dev/ttyACM0", PermissionError(errno.EACCES, "Permission denied"))
    assert isinstance(found, DeviceDeniedError)
    assert "usermod -aG dialout" in one_line(found)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can act as somebody without permission")
def test_a_port_without_permission() -> None:
    end = PtyEnd("denied")
    Path(end.name).parent.chmod(0o755)
    Path(end.name).resolve().chmod(0o600)
    nobody = pwd.getpwnam("nobody").pw_uid
    script = f"import os; os.setuid({nobody})\nfrom firmware_bridge.port import open_serial\nopen_serial({end.name!r})"
    try:
        found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd="/", check=False)
        if "ModuleNotFoundError" in found.stderr or "Permission denied: '/root" in found.stderr:
            pytest.skip("this environment is not readable for others")
        assert DeviceDeniedError.__name__ in found.stderr
        assert "usermod -aG dialout" in found.stderr
    finally:
        end.close()


def test_a_port_with_nothing_behind_it() -> None:
    end = PtyEnd("quiet")
    try:
        with pytest.raises(DeviceSilentError, match="no answer"):
            open_device(f"serial:{end.name}")
    finally:
        end.close()


def test_a_port_that_ends_while_it_is_being_opened() -> None:
    end = PtyEnd("short")
    port = open_serial(end.name)
    assert port.read() == b""  # silence is not the end
    end.close()
    with pytest.raises(DeviceLostError, match="unplugged"):
        port.read()
    with pytest.raises(DeviceLostError, match="unplugged"):
        port.write(b"x")
    port.close()
    port.close()


def test_a_reader_that_never_reads_does_not_block_us() -> None:
    end = PtyEnd("full")
    port = open_serial(end.name)
    try:
        results = [port.write(b"x" * 1000) for _ in range(100)]
        assert results[0]
        assert not results[-1]
    finally:
        port.close()
        end.close()


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("nonsense", "not a device address"),
        ("warp:core", "there are:"),
        ("serial:", "name the port"),
        ("serial:/dev/null?device=toaster", "syntaxer, magellan, spaceball"),
        ("serial:/dev/null?rate=fast", "250 to 4000"),
        ("serial:/dev/null?rate=9000", "250 to 4000"),
        ("serial:/dev/null?rats=1000", "there are: calibration, device, rate"),
        ("serial:/dev/null?rate=1000&rate=500", "given twice"),
        ("serial:/dev/null?rate", "name=value"),
        ("sim:toaster", "there are:"),
        ("sim:syntaxer?faults=explode", "unknown fault"),
        ("sim:syntaxer?seed=-1", "seed"),
    ],
)
def test_addresses_that_cannot_be_understood(url: str, words: str) -> None:
    with pytest.raises((AddressError, ValueError)) as caught:
        open_device(url)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_socket_can_stand_for_a_port() -> None:
    end = UnixEnd("socket")
    port = open_serial(end.name)
    assert port.read() == b""
    port.write(b"there")
    assert end.read() == b"there"
    end.write(b"and back")
    assert port.read() == b"and back"
    port.close()
    assert end.read() == b""
    again = open_serial(end.name)  # the end has seen the first one go
    assert end.read() == b""
    end.write(b"again")
    assert again.read() == b"again"
    end.unplug()
    with pytest.raises(DeviceLostError, match="unplugged"):
        again.read()
    with pytest.raises(DeviceNotFoundError, match="no such port"):
        open_serial(end.name)
    again.close()
    end.close()


def test_a_second_program_at_a_socket_is_turned_away() -> None:
    end = UnixEnd("socket")
    first, second = open_serial(end.name), open_serial(end.name)
    for _ in range(2 * UnixEnd.LOOK):
        assert end.read() == b""
    end.write(b"for the first")
    assert first.read() == b"for the first"
    with pytest.raises(DeviceLostError):
        second.read()
    for port in (first, second):
        port.close()
    end.close()


def test_what_nobody_reads_at_a_socket_is_lost_and_nothing_waits() -> None:
    end = UnixEnd("socket")
    port = open_serial(end.name)
    assert end.read() == b""
    for _ in range(1000):
        end.write(bytes(1000))
    assert 0 < sum(len(port.read()) for _ in range(20)) < 200_000
    port.close()
    end.close()


def test_a_socket_that_was_left_behind(tmp_path: Path) -> None:
    left = tmp_path / "left"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door:
        door.bind(str(left))
    with pytest.raises(DeviceNotFoundError, match="nobody answers"):
        open_serial(str(left))
