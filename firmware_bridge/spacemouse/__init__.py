"""Caps that a hand deflects: Magellan and Spaceball on a serial line, SpaceMouse on USB, all of them by spacenavd."""
