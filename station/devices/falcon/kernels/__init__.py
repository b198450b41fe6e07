"""Compiled inner loops of the Falcon: no allocation, no exception; what cannot be is told by the result."""
