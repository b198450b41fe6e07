"""Arms of Universal Robots (e-Series, CB3): `ur://192.168.0.10`. Setpoints by RTDE to a program of ours on the robot.

rtde.py     packages of RTDE as bytes            script.py     the program that follows setpoints on the robot
status.py   modes and safety bits in words       driver.py     `URController`
session.py  RTDE from the first word on          scheme.py     the address
"""
