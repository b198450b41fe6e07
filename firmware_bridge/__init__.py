"""Bytes ⇄ devices and controllers: framing and drivers (serial, USB, ZeroMQ, Modbus, vendor buses)."""
