"""From measurements to corrected parameters, with uncertainties.

One pattern for all: collect → estimate → judge → write → apply; see docs/calibration.md.

collection.py   observations on disk, one by one: an interrupted collection goes on; information.py: which pose next
arm.py          an arm led from pose to pose; leading.py: at a pose; instrument.py: what measures, or a person
fitting.py      robust least squares; identify.py: what the data can tell, and what is fixed
judge.py        standard deviations, condition, outliers, cross-validation
results.py      result files bound to a serial number or a MAD file, earlier results kept
report/         one page about any result
geometry/       robots: dimensions, zeros, ratios, loops, corrected MAD files; syntaxer/ the syntaxer
hand_eye/       a camera in the hand; camera/ its lens, and a board to print
force/          tool sensors, tools, and loads by joint efforts
registration/   work-pieces by touches; timing/ delays and clocks of links
syntaxer/       the haptic device: zeros, geometry, torques, rotation stage, latency
"""

from calibration.errors import (
    CalibrationError,
    DataError,
    NotExplainedError,
    ResultFileError,
    UnitsError,
    WrongDeviceError,
)
from calibration.fitting import Fit, FitSettings, fit
from calibration.judge import Judgement, cross_validate, judge
from calibration.results import Result, Subject, load_result, load_results, write_result

__all__ = [
    "CalibrationError",
    "DataError",
    "Fit",
    "FitSettings",
    "Judgement",
    "NotExplainedError",
    "Result",
    "ResultFileError",
    "Subject",
    "UnitsError",
    "WrongDeviceError",
    "cross_validate",
    "fit",
    "judge",
    "load_result",
    "load_results",
    "write_result",
]
