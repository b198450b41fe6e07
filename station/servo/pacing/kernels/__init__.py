"""Compiled parts of the clockwork: `clock` waits, `pace` keeps to the grid, `statistics` counts. All on one block."""
