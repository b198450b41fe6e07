"""An emulated Robotiq gripper.

fingers.py   how it moves and what it tells       emulator.py   its Modbus       process.py   as a process
"""
