"""The MAD language: any bench in one text file.

    text ─ syntax ─▶ raw blocks ─ build ─▶ scene ─ checks ─▶ a scene to rely on
                                             ▲  ▲
                                   urdf ─────┘  └───── writer ─▶ text

`scene/` is the table of the whole language; see docs/mad.md.
"""

from station.mad.files import load, loads
from station.mad.scene import Scene
from station.mad.writer import dumps

__all__ = ["Scene", "dumps", "load", "loads"]
