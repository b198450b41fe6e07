"""What tests want to know of any record."""

from __future__ import annotations

import numpy as np

from station.kernel import Record


def all_finite(record: Record) -> bool:
    """Whether all real numbers of a record are."""
    reals = [getattr(record, name) for name, field in record.fields.items() if field.form == "f8"]
    return all(bool(np.isfinite(one).all()) for one in reals)
