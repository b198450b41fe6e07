"""Emulators of devices and controllers that speak real bytes, with physics behind them."""
