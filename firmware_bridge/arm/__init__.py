"""Controllers of arms: messages, and drivers for ZeroMQ, serial lines and Modbus. Protocol: docs/protocol_arm.md."""
