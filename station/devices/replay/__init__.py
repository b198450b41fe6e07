"""Recordings of a hand, and the device that plays them: `replay:run.mcap?speed=0.5&loop=yes`.

message.py      a sample as bytes
description.py  capabilities as text
mcap_file.py    records of an MCAP file that may be damaged, cut short or somebody else's
collecting.py   from records to samples, checked
recording.py    `SampleWriter`, `read_recording`, `read_samples`
device.py       `ReplayDevice` and the scheme `replay:`
"""

from station.devices.replay.device import SCHEME, ReplayDevice
from station.devices.replay.recording import Recording, RecordingError, SampleWriter, read_recording, read_samples

__all__ = ["SCHEME", "Recording", "RecordingError", "ReplayDevice", "SampleWriter", "read_recording", "read_samples"]
