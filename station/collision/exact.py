"""Exact distances by the collision library, at any joint values, without touching the robot itself."""

from __future__ import annotations

import math

import numpy as np

from station.collision.errors import CollisionError
from station.collision.kernels.picking import relative
from station.collision.kernels.survey import place_solids
from station.collision.kernels.table import ANSWER, Table
from station.collision.library import Query
from station.collision.results import Distance, Floats, Pair
from station.collision.solids import Solid
from station.mechanism import Mechanism
from station.mechanism.kernels.tree import forward


class Exact:
    """Asks the library about two solids where a robot is put."""

    def __init__(self, mechanism: Mechanism, solids: list[Solid], table: Table) -> None:
        self._mem, self._table, self._solids = mechanism._mem, table, solids
        self._rotation, self._position = np.zeros_like(self._mem.rotation), np.zeros_like(self._mem.position)
        self.poses = np.zeros((len(solids), 3, 4))  # of all solids in the world [m]
        self._queries: dict[tuple[int, int], Query] = {}
        self._turn, self._place, self._answer = np.zeros((3, 3)), np.zeros(3), np.zeros(ANSWER)
        self.count = 0  # questions so far

    def query(self, a: int, b: int) -> Query:
        """The question about two solids, made once."""
        if (a, b) not in self._queries:
            self._queries[a, b] = Query(self._solids[a].geometry, self._solids[b].geometry)
        return self._queries[a, b]

    def put(self, q: Floats) -> None:
        """Place all solids for these joint values [rad | m]."""
        forward(self._mem.block, q, self._rotation, self._position)
        place_solids(self._table.block, self._rotation, self._position, self.poses)

    def measure(self, a: int, b: int) -> float:
        """Signed distance [m]; raises CollisionError where the library has no answer."""
        relative(self.poses[a], self.poses[b], self._turn, self._place)
        self.count += 1
        if not (self.query(a, b).ask(self._turn, self._place, self._answer) and math.isfinite(self._answer[0])):
            names = f"{self._solids[a].name} and {self._solids[b].name}"
            raise CollisionError(f"the distance between {names} cannot be found where the robot is")
        return float(self._answer[0])

    def distance(self, pair: Pair, a: int, b: int) -> Distance:
        """The whole answer, in the world."""
        distance, pose = self.measure(a, b), self.poses[b]
        normal, point, other = self._answer[1:4], self._answer[4:7], self.query(a, b).other_point()
        turn, place = pose[:, :3], pose[:, 3]
        return Distance(pair, distance, turn @ point + place, turn @ other + place, turn @ normal)
