"""`modbus://host:502` and `modbus+serial:/dev/ttyUSB0`: arms behind a register map."""

from firmware_bridge.arm.modbus.scheme import SCHEME

__all__ = ["SCHEME"]
