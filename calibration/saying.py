"""What the commands of `station calibrate` share: options, columns of observations, and telling a judgement."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
import numpy as np

from calibration.collection import Observation
from calibration.errors import DataError
from calibration.judge import Judgement
from calibration.parameters import Floats
from calibration.units import SHOWN

as_json = click.option("--json", "as_json", is_flag=True, help="Print data for programs.")
out = click.option("--out", required=True, type=click.Path(path_type=Path), help="Result file; earlier results stay.")
observed = click.argument("observations", type=click.Path(path_type=Path))


def progress(text: str) -> None:
    """A line for who waits, beside what programs read."""
    click.echo(text, err=True)


def tell(judgement: Judgement) -> None:
    """Print what an estimate is worth."""
    for one in judgement.parameters:
        if not one.fixed:
            factor, unit = SHOWN.get(one.unit, (1.0, one.unit))
            change, spread = factor * (one.value - one.nominal), factor * one.deviation
            digits = 4 if spread >= 5e-4 or spread == 0.0 else 1 - int(np.floor(np.log10(spread)))
            click.echo(f"{one.name:20} {change:+10.{digits}f} ± {spread:.{digits}f} {unit}".rstrip())
    for fixed in judgement.fixed:
        click.echo(f"fixed: {fixed}")
    if judgement.outliers:
        click.echo(f"left out as outliers: observations {', '.join(map(str, judgement.outliers))}")
    if judgement.freedom == 0:
        click.echo(f"condition {judgement.condition:.3g}; nothing is left over to judge the stated noise by")
        return
    click.echo(
        f"condition {judgement.condition:.3g}, noise {judgement.noise:.3g} of the stated, "
        f"chance of residuals like these {judgement.chance:.2g}"
    )


def column(path: Path, held: Sequence[Observation], name: str) -> Floats:
    """One value of all observations of a collection; a DataError if it is missing or makes no table."""
    try:
        return np.array([one.values[name] for one in held], dtype=np.float64)
    except KeyError:
        raise DataError(f"{path}: an observation without {name!r}") from None
    except (TypeError, ValueError):
        raise DataError(f"{path}: {name!r} of the observations are not numbers of one shape") from None
