"""Compiled: whether what an arm says can be."""
