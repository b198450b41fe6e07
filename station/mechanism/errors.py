"""What can go wrong with a mechanism.

StationError
└── MechanismError (ValueError)     a robot that cannot be compiled or moved as asked
    └── AssemblyError               its loops cannot be closed
"""

from __future__ import annotations

from station.errors import StationError


class MechanismError(StationError, ValueError):
    """A robot that cannot be compiled, or a request that it cannot understand."""


class AssemblyError(MechanismError):
    """Loops that cannot be closed; carries the smallest gap that was found and where."""

    def __init__(self, robot: str, gap: float, turn: float, between: str) -> None:
        self.gap = gap
        self.turn = turn
        self.between = between
        super().__init__(
            f"robot {robot} cannot be assembled: {between} stay {1000.0 * gap:.4g} mm and "
            f"{turn * 57.29577951308232:.4g}° apart at best; check its lengths, stops and initial joint values"
        )
