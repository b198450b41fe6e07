"""Compiled inner loops over the samples of a task.

loops.py  passive joints from driven ones, sample by sample
"""
