"""A running station seen from other machines: published over ZeroMQ, watched read-only."""
