"""Compiled inner loops of the check.

dynamics.py  effort of every joint, sample by sample
gains.py     how far from a singularity, sample by sample
"""
