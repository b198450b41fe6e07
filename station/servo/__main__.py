"""`python -m station.servo`: see process.py."""

import sys

from station.servo.process import main

if __name__ == "__main__":
    sys.exit(main())
