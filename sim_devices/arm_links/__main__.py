"""`python -m sim_devices.arm_links FILE.mad`: an emulated arm as a process; `station emulate arm` is for people.

Several arms of the file in one physics: `FILE.mad --robot left --delay 0.05 --and --robot right`.
"""

from __future__ import annotations

import argparse
import sys

from sim_devices.arm_links.process import LOOPBACK, ArmWishes, serve_together
from sim_devices.arm_links.wishes import AND
from station.errors import StationError


def main() -> None:
    """Print the address, then be an arm."""
    parser = argparse.ArgumentParser(prog="python -m sim_devices.arm_links", description=__doc__)
    parser.add_argument("scene", metavar="FILE.mad")
    parser.add_argument("--robot", default=None, help="the first one of the scene if not named")
    parser.add_argument(
        "--link", default=LOOPBACK, help="tcp://, serial:, modbus://, modbus+serial:, dynamixel: or ur://"
    )
    parser.add_argument("--faults", default="")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--delay", type=float, default=0.0, help="of the network, each way [s]")
    parser.add_argument("--jitter", type=float, default=0.0, help="[s]")
    parser.add_argument("--loss", type=float, default=0.0, help="chance of a message to be lost")
    parser.add_argument("--world", default="", help="MAD file with obstacles that only the arm meets")
    parser.add_argument("--settings", default="", help="of the arm, name=value by commas: see docs/emulated_arm.md")
    parser.add_argument("--tracker", default="", help="frame that a laser tracker sees: flange,noise=0.0001")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--with-parent", action="store_true", help="end when standard input closes")
    first, *others = _of_each(sys.argv[1:])
    arms = [vars(parser.parse_args(first))]
    arms += [vars(parser.parse_args([arms[0]["scene"], *words])) for words in others]
    seconds, with_parent = arms[0]["seconds"], arms[0]["with_parent"]
    wishes = [ArmWishes(**{name: one[name] for name in ArmWishes._fields}) for one in arms]

    def announce(address: str) -> None:
        sys.stdout.write(address + "\n")
        sys.stdout.flush()

    try:
        serve_together(wishes, announce, seconds, with_parent)
    except StationError as error:
        sys.exit(str(error))


def _of_each(words: list[str]) -> list[list[str]]:
    """What is said of each arm."""
    if AND not in words:
        return [words]
    place = words.index(AND)
    return [words[:place], *_of_each(words[place + 1 :])]


main()
