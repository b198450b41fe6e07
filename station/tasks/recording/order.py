"""What a recorder process is to do: handed over as one line of JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field

from station.json_reader import parse_json


@dataclass(frozen=True, kw_only=True)
class Order:
    """All that a recorder process needs to know."""

    state: str  # path of the servo's shared state
    path: str  # where the recording goes
    overwrite: bool = False  # write over an old file
    attach: tuple[str, ...] = ()  # files that go into the recording
    metadata: dict[str, dict[str, str]] = field(default_factory=dict)

    def to_line(self) -> str:
        """As one line of JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_line(cls, line: str) -> Order:
        """From one line of JSON."""
        values = parse_json(line, "an order to record")
        return cls(**{**values, "attach": tuple(values["attach"])})
