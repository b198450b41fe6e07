"""Tasks and recordings: record, rehearse, verify, execute, replay, report, export."""
