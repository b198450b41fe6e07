"""Compiled parts of shared state: `atomic` words, `publish`ing and reading, `commands`."""
