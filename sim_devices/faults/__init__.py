"""Failing on purpose: every way in which hardware fails, by script, on any emulator."""

from sim_devices.faults.script import KINDS, Fault, FaultError, FaultScript, parse_faults
from sim_devices.faults.wire import Wire

__all__ = ["KINDS", "Fault", "FaultError", "FaultScript", "Wire", "parse_faults"]
