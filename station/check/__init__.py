"""What a scene holds, told by `station check`: as text for people, as data for programs."""

from station.check.data import problem_data, report
from station.check.text import describe

__all__ = ["describe", "problem_data", "report"]
