"""Pages about a run, drawn with matplotlib; only loaded when one is asked for.

style.py        colours, axes, curves, bands of states
over_time.py    tracking, joints, forces, energy, time of ticks: everything over the run
numbers.py      histograms, stages
page.py         all of it as one HTML page, or as one picture
"""

from station.monitor.pages.page import html, picture

__all__ = ["html", "picture"]
