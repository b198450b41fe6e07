"""Arms of emulated Dynamixel X servos on one bus.

servo.py   `EmulatedServo`: a control table with its rules       motion.py   goals of all servos → the arm that moves
bus.py     `DynamixelArm`: what answers at the port
"""
