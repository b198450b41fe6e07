"""What can go wrong in a calibration, as one tree; every message is one line.

CalibrationError (StationError)
├── DataError (ValueError)             too few, not finite, degenerate, or of the wrong shape
│   ├── TooFewError                    fewer numbers than parameters
│   └── UnitsError                     millimetres for metres, degrees for radians
├── PoseError (ValueError)             a pose that cannot be measured: another one is taken
├── NotExplainedError (ValueError)     the model does not explain the measurements: outliers, or another machine
├── WrongDeviceError (ValueError)      a result of another serial number or another MAD file
└── ResultFileError (OSError)          a result or a collection that cannot be read or written
"""

from __future__ import annotations

from station.errors import StationError


class CalibrationError(StationError):
    """Base of what a calibration refuses."""


class DataError(CalibrationError, ValueError):
    """Measurements that cannot be used."""


class TooFewError(DataError):
    """Fewer numbers than parameters, perhaps since others did not fit and were left out."""


class UnitsError(DataError):
    """Measurements in another unit than they are said to be."""


class PoseError(CalibrationError, ValueError):
    """A pose that cannot be reached or measured; a collection goes on without it."""


class NotExplainedError(CalibrationError, ValueError):
    """Measurements that no values of the parameters explain."""


class WrongDeviceError(CalibrationError, ValueError):
    """A result that belongs to another device or another MAD file."""


class ResultFileError(CalibrationError, OSError):
    """A file of results or measurements that cannot be read or written."""
