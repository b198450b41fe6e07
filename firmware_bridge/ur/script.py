"""The program that follows setpoints on the robot: URScript that is sent to it, and the registers it speaks by.

Setpoints are written into input registers by RTDE. Registers from 24 on are those for RTDE clients; the lower ones are
for field buses. The program has a watchdog of its own (a setpoint that does not change its number), and sets one of the
robot's on the heartbeat: when the station dies, the robot ends the program and stands.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import NamedTuple

FIRST = 24  # register
MODE, NUMBER, BEAT = (f"input_int_register_{FIRST + i}" for i in range(3))
TARGET = tuple(f"input_double_register_{FIRST + i}" for i in range(6))
STATE, ECHO, NONCE = (f"output_int_register_{FIRST + i}" for i in range(3))
LEAST_BEATS = 5  # heartbeats that the robot wants [Hz]


class Wanted(IntEnum):
    """What the station wants of the program, in MODE."""

    IDLE = 0
    FOLLOW = 1
    STOP = 2


class ProgramState(IntEnum):
    """What the program does, in STATE."""

    NONE = 0
    IDLE = 1
    FOLLOWS = 2
    SILENCE = 3  # no fresh setpoint for too long: it has stopped
    STOPPED = 4


class ScriptSettings(NamedTuple):
    """What the program is made with."""

    nonce: int  # by which it is known
    step: float = 0.002  # time of one servoj [s]
    lookahead: float = 0.05  # 0.03 to 0.2 s
    gain: int = 500  # 100 to 2000
    silence: int = 30  # steps without a fresh setpoint after which it stops
    deceleration: float = 8.0  # of that stop [rad/s²]


TEMPLATE = f"""def station_servo():
  # haptic station, servo program 1
  step = {{step}}
  lookahead = {{lookahead}}
  gain = {{gain}}
  silence = {{silence}}
  deceleration = {{deceleration}}
  last = read_input_integer_register({FIRST + 1})
  quiet = 0
  state = {ProgramState.IDLE:d}
  target = get_actual_joint_positions()
  write_output_integer_register({FIRST}, state)
  write_output_integer_register({FIRST + 1}, -1)
  write_output_integer_register({FIRST + 2}, {{nonce}})
  rtde_set_watchdog("{BEAT}", {LEAST_BEATS}, "stop")
  while state != {ProgramState.STOPPED:d}:
    mode = read_input_integer_register({FIRST})
    number = read_input_integer_register({FIRST + 1})
    if mode == {Wanted.STOP:d}:
      stopj(deceleration)
      state = {ProgramState.STOPPED:d}
    elif mode == {Wanted.IDLE:d}:
      if state == {ProgramState.FOLLOWS:d}:
        stopj(deceleration)
      end
      state = {ProgramState.IDLE:d}
      last = number
      sync()
    elif state == {ProgramState.SILENCE:d}:
      sync()
    elif number == last:
      if state == {ProgramState.FOLLOWS:d}:
        quiet = quiet + 1
        if quiet > silence:
          stopj(deceleration)
          state = {ProgramState.SILENCE:d}
        else:
          servoj(target, 0, 0, step, lookahead, gain)
        end
      else:
        sync()
      end
    else:
      last = number
      quiet = 0
      i = 0
      while i < 6:
        target[i] = read_input_float_register({FIRST} + i)
        i = i + 1
      end
      state = {ProgramState.FOLLOWS:d}
      write_output_integer_register({FIRST + 1}, number)
      servoj(target, 0, 0, step, lookahead, gain)
    end
    write_output_integer_register({FIRST}, state)
  end
end
"""

_NUMBER = r"(-?\d+(?:\.\d+)?)"
_PATTERN = re.compile(re.sub(r"\\\{(\w+)\\\}", lambda name: f"(?P<{name[1]}>{_NUMBER})", re.escape(TEMPLATE)))


def at_rate(settings: ScriptSettings, rate: float) -> ScriptSettings:
    """The same for a robot that works at this rate [Hz]: its step is longer on a CB3, its watchdog is not."""
    watchdog = settings.silence * settings.step
    return settings._replace(step=1.0 / rate, silence=max(2, round(watchdog * rate)))


def servo_script(settings: ScriptSettings) -> str:
    """The text of the program."""
    return TEMPLATE.format(**settings._asdict())


def recognised(text: str) -> ScriptSettings | None:
    """The settings of a program of ours; None if the text is anything else, be it only by a letter."""
    match = _PATTERN.fullmatch(text)
    if match is None:
        return None
    kinds = {name: type(value) for name, value in ScriptSettings(0)._asdict().items()}
    try:
        return ScriptSettings(**{name: kind(match[name]) for name, kind in kinds.items()})
    except ValueError:
        return None
