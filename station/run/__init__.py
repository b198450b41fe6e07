"""`station run`: the servo process started and watched, a dashboard while it runs, a summary and a report at its end.

launch.py   `ServoProcess`: a servo process from its start to its end
session.py  `run_session`: launch, dashboard, summary, report
places.py   where reports are kept
"""
