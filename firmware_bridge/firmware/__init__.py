"""The syntaxer's reference firmware in C, and the ways to run it on a host.

core/      the device side of the protocol: portable C11, no heap; hardware.h is all that a board must provide
host/      the same as a shared library (`Firmware` in library.py) and as a process on a pty (main.c)
arm/       the same on a Cortex-M3, for qemu-system-arm
tests/     unit tests and the fuzz driver in C, run under the sanitizers by tests/firmware
build.py   compiles any of them into the cache folder, once
"""
