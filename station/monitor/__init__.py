"""A run as people see it: a dashboard while it goes on, a summary and a report when it is over.

    with StateReader() as state:
        run = Dashboard(Collector(state)).follow(seconds=60.0)
    print(Summary.of(run).text)
    report(run, "run.html")

Only shared state is read, from another process than the servo's.

bench.py       names behind the numbers
columns.py     fields of many records at once; the curves that are kept
thinner.py     curves in bounded memory
histogram.py   distributions in bounded memory
tallies.py     what is counted of every record
collector.py   `Collector`: follows the ring of records
run.py         `Run`: all that was collected
summary.py     `Summary`; its lines are in summary_text.py
moment.py      what the dashboard shows, as numbers
glyphs.py, sections.py, screen.py, plain.py, dashboard.py
               `Dashboard`: from bars to the live picture
reporting.py   `report`: a page with plots; pages/ draws them, and is loaded only then
"""

from station.monitor.collector import Collector
from station.monitor.dashboard import Dashboard
from station.monitor.errors import MonitorError, OtherRobotError, ReportError, ReportKindError
from station.monitor.reporting import check_place, report
from station.monitor.run import Ending, Run
from station.monitor.summary import Summary

__all__ = [
    "Collector",
    "Dashboard",
    "Ending",
    "MonitorError",
    "OtherRobotError",
    "ReportError",
    "ReportKindError",
    "Run",
    "Summary",
    "check_place",
    "report",
]
