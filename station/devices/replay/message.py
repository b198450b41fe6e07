"""A sample as bytes: fixed length, every bit of every number, and a checksum.

The layout is that of a ROS 1 message of fixed-size fields, so that programs which know MCAP can show and plot it. The
checksum is over all bytes before it: what may one day move an arm must be known to be what was recorded.
"""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

from station.devices.device import Sample

SCHEMA_NAME = "haptic_station/Sample"
SCHEMA_ENCODING, MESSAGE_ENCODING = "ros1msg", "ros1"
SCHEMA = b"""# What a haptic device said at one instant.
float64[16] pose        # 4x4 handle in the frame of the device, by rows [m]
float64[6] velocity     # linear then angular [m/s, rad/s]
uint64 buttons          # bit i: button i is down
float64 grip            # how far the grip is closed, 0 to 1
float64 device_time     # of the device's own clock [s]
float64 arrival         # by the station's clock [s]
int64 sequence          # counts samples as the device made them
uint32 check            # CRC-32 of all bytes before
"""
LAYOUT = np.dtype(
    [
        ("pose", "<f8", (4, 4)),
        ("velocity", "<f8", (6,)),
        ("buttons", "<u8"),
        ("grip", "<f8"),
        ("device_time", "<f8"),
        ("arrival", "<f8"),
        ("sequence", "<i8"),
        ("check", "<u4"),
    ]
)
SIZE = LAYOUT.itemsize
_REST = struct.Struct("<Qdddq")
_CHECK = struct.Struct("<I")
_ALL_BUTTONS = 2**64 - 1

Samples = NDArray[np.void]  # of LAYOUT


def encode(sample: Sample) -> bytes:
    """The bytes of a sample."""
    pose = np.asarray(sample.pose, dtype="<f8").reshape(4, 4).tobytes()
    velocity = np.asarray(sample.velocity, dtype="<f8").reshape(6).tobytes()
    buttons = int(sample.buttons) & _ALL_BUTTONS
    rest = _REST.pack(buttons, sample.grip, sample.device_time, sample.arrival, int(sample.sequence))
    data = pose + velocity + rest
    return data + _CHECK.pack(zlib.crc32(data))


def is_whole(data: bytes) -> bool:
    """Whether these are the bytes of a sample, undamaged."""
    return len(data) == SIZE and _CHECK.unpack(data[-4:])[0] == zlib.crc32(data[:-4])


def decode_all(data: bytes | bytearray) -> Samples:
    """Samples one after the other, as an array of LAYOUT."""
    samples: Samples = np.frombuffer(data, dtype=LAYOUT)
    return samples


def sample_at(samples: Samples, index: int) -> Sample:
    """One of them, with arrays of its own."""
    row = samples[index]
    return Sample(
        pose=np.array(row["pose"], dtype=np.float64),
        velocity=np.array(row["velocity"], dtype=np.float64),
        buttons=int(row["buttons"]),
        grip=float(row["grip"]),
        device_time=float(row["device_time"]),
        arrival=float(row["arrival"]),
        sequence=int(row["sequence"]),
    )
