"""Whatever bytes come, the driver reports and never breaks."""

from __future__ import annotations

import random

import numpy as np
import pytest

from firmware_bridge.syntaxer.driver import SyntaxerDevice
from firmware_bridge.syntaxer.frames import encode
from firmware_bridge.syntaxer.messages import Error, ForeignIdentity, State, pack
from sim_devices.ends import SocketEnd
from sim_devices.fixtures import Emulated
from station.clock import VirtualClock
from station.devices import DeviceStatus
from station.devices.errors import DeviceError, DeviceSilentError
from tests.firmware_bridge.syntaxer.rig import Rig

STATE = State(0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0, 25.0, 24.0, (0,) * 6, (0.0,) * 6)


class Loose:
    """A driver at a socket whose other end a test holds."""

    def __init__(self) -> None:
        self.clock, self.end = VirtualClock(), SocketEnd("loose end")
        self.device = SyntaxerDevice("serial:loose", self.clock, self.end.connect)
        self.device._connect()
        self.device._connected = True

    def close(self) -> None:
        self.device.close()
        self.end.close()

    def hear(self, data: bytes) -> None:
        self.end.read()
        self.end.write(data)
        self.clock.advance(0.001)
        sample = self.device.newest()
        assert sample is None or np.isfinite(sample.pose).all()
        self.device.command(np.zeros(6))


@pytest.mark.parametrize("seed", range(3))
def test_random_bytes_are_never_a_sample(seed: int) -> None:
    loose, chance = Loose(), random.Random(seed)
    for _ in range(3000):
        loose.hear(chance.randbytes(chance.randrange(200)))
        assert loose.device.status in (DeviceStatus.OPENING, DeviceStatus.LOST)
    loose.close()


@pytest.mark.parametrize("seed", range(3))
def test_mutated_frames_of_every_kind_do_not_upset_it(emulated: Emulated, seed: int) -> None:
    """Good frames of a true session, with bytes changed, cut, doubled and mixed with frames nobody asked for."""
    rig, chance = Rig(emulated, hand="none"), random.Random(seed)
    strange = [
        encode(pack(STATE._replace(sequence=chance.randrange(65536), counts=(chance.randrange(2**31),) * 6))),
        encode(pack(Error(chance.randrange(256), 4, 7, -1))),
        encode(pack(ForeignIdentity(7, (1, 2, 3), "other", "x"))),
        encode(pack(rig.emulator.identity._replace(serial_number="SOMEBODY"))),
        b"\0" * 500,
        b"\xff" * 5000,
    ]
    write = rig.emulator.end.write

    def mutate(data: bytes) -> None:
        kind = chance.randrange(12)
        changed = bytearray(data)
        if kind == 0:
            changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
        elif kind == 1:
            changed = changed[: chance.randrange(len(changed))]
        elif kind == 2:
            changed += chance.choice(strange)
        elif kind == 3:
            changed += bytes(changed)
        write(bytes(changed))

    rig.emulator.end.write = mutate  # type: ignore[method-assign]
    for _ in range(2000):
        rig.run(0.001)
        assert "\n" not in rig.device.reason
    assert all(np.isfinite(sample.pose).all() for sample in rig.samples)


def test_an_echo_of_what_is_sent_is_no_syntaxer() -> None:
    """A loop-back plug, or a modem that echoes."""
    clock, end = VirtualClock(), SocketEnd("echo")
    clock.attach(lambda _: end.write(end.read()))
    device = SyntaxerDevice("serial:echo", clock, end.connect)
    with pytest.raises(DeviceSilentError, match="no syntaxer"):
        device.wait_until_ready(1.0)
    end.close()


def test_nothing_at_all_is_told_as_such() -> None:
    clock, end = VirtualClock(), SocketEnd("quiet")
    device = SyntaxerDevice("serial:quiet", clock, end.connect)
    with pytest.raises(DeviceError, match="no answer"):
        device.wait_until_ready(1.0)
    end.close()
