"""`python -m station`: the same as the command `station`."""

from station.cli import main

if __name__ == "__main__":
    main()
