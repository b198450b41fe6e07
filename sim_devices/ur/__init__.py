"""An emulated robot of Universal Robots: RTDE, the port for programs, and the dashboard.

variables.py  what RTDE can tell and be told       clients.py    sockets of many clients, never waiting
rtde.py       the server's side of RTDE            programs.py   what programs do that are sent to it
dashboard.py  lines of the dashboard               arm.py        `URArm`: all of it, in front of a machine

There is no interpreter of URScript here. Programs are known by their text: ours (every letter of it), and the control
program of ur_rtde (by its first line), of which moveJ, servoJ and the stops are done. Any other ends at once.
"""
