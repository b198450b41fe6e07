"""The recorder process: see process.py."""

import sys

from station.tasks.recording.process import main

if __name__ == "__main__":
    sys.exit(main())
