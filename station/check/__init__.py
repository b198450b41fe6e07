"""What a scene holds, told by `station check`: as text for people, as data for programs."""

from station.check.data import compile_reports, problem_data, report
from station.check.text import describe

__all__ = ["compile_reports", "describe", "problem_data", "report"]
