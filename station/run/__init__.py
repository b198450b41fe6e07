"""`station run`: the servo process started and watched, a dashboard while it runs, a summary and a report at its end.

start.py    `Start`: servo and emulators get ready side by side
launch.py   `ServoProcess`: a servo process from its start to its end
session.py  `run_session`: launch, dashboard, summary, report
taping.py   a recorder beside the servo
recordings.py  commands for recordings; playback.py: `replay`, recorded.py: summary and page of a recorded run
options.py  from the command line to a job
park.py     `park`, `release`: the end of work; parking_way.py: where to, and whether the way is free
places.py   where the default bench is and reports are kept
bench.mad   the default bench
warm.py     compiles everything ahead of time
"""
