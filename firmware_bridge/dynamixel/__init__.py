"""Arms of Dynamixel X servos on one bus: `dynamixel:/dev/ttyUSB0?baud=4000000&ids=1,2,3`.

packets.py       protocol 2.0 as bytes            bus.py      one question at a time, never waiting
table.py         the control table of X servos    servos.py   what a servo is, its limits, counts ⇄ radians
introduction.py  who is there                     driver.py   `DynamixelController`
modes.py         torque, watchdog, faults         words.py    what is said next
telling.py       what servos tell every tick      scheme.py   the address
"""
