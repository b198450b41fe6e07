"""The far side of every link: servers that speak an arm's bytes and drive whatever is an `ArmMachine`.

serving.py       `far_side(link, machine)`: the server for an address
desk.py          who commands, what is let through, what is told; the same for ZeroMQ and serial lines
register_map.py  the same for Modbus
contract.py      `ControllerContract`: what every controller keeps, as tests
"""
