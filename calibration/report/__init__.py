"""One page about a result, with its plots inside.

plots.py     residuals, held-back errors, parameters, identifiability; matplotlib is loaded only then
page.py      `html`: all of it as one page
command.py   `station calibrate report`
"""
