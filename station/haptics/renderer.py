"""`HapticRenderer`: hand and proxy in, the wrench on the hand out, every tick; a thin class over the kernels."""

from __future__ import annotations

import numpy as np

from station.devices.parameter import SettingsError
from station.haptics.guides import Guide
from station.haptics.inputs import Inputs
from station.haptics.kernels import layout as at
from station.haptics.kernels.layout import Floats
from station.haptics.kernels.tick import haptics_tick
from station.haptics.packing import packed
from station.haptics.results import Acting, Cause, Energy, Fault, Rendered
from station.haptics.settings import HapticSettings

_NO_FAULT, _NOTHING = Fault.NONE, Acting.NOTHING


class HapticRenderer:
    """Forces for one hand. A tick reads no clock, does not wait, allocates next to nothing and never raises."""

    def __init__(self, settings: HapticSettings | None = None) -> None:
        self._settings = settings or HapticSettings()
        self.numbers: Floats = np.tile(packed(self._settings), 2)  # settings in use and wanted, for other kernels
        self.guide_rows: Floats = np.zeros((at.MOST_GUIDES, at.GUIDE_SIZE))
        self.state: Floats = np.zeros(at.STATE_SIZE)
        self.wrench: Floats = np.zeros(6)
        self._parts = self.state[at.PARTS : at.SENT].reshape(at.CAUSES, 6)
        self._energy = self.state[at.POTENTIAL : at.LOWEST + 1]
        self._names: dict[str, int] = {}
        self.tick(Inputs())  # compile or load now, not in the first real tick
        self.reset()

    def reset(self) -> None:
        """Forget all that was: ledger, ramps, heat."""
        self.state[:] = 0.0
        self.state[at.SLOW_DOWN] = self.state[at.RATIO] = 1.0
        for cause in range(at.EFFECTS):
            self.state[at.GAIN + cause] = self.numbers[at.SWITCH + cause]

    def tick(self, inputs: Inputs) -> Rendered:
        """One tick; what goes wrong becomes a fault with zero force."""
        state = self.state
        fault = haptics_tick(state, self.numbers, self.guide_rows, inputs.numbers, self.wrench)
        potential, available, rendered, dissipated, lowest = self._energy.tolist()
        acting = int(state[at.ACTING])
        return Rendered(
            self.wrench,
            self._parts,
            float(state[at.SLOW_DOWN]),
            Energy(rendered, dissipated, available, potential, lowest),
            Acting(acting) if acting else _NOTHING,
            Fault(fault) if fault else _NO_FAULT,
        )

    @property
    def settings(self) -> HapticSettings:
        """What is set; change it with `change`."""
        return self._settings

    def change(self, settings: HapticSettings) -> None:
        """Use other settings from the next tick on. Switches ramp and gains glide; limits act at once."""
        self.numbers[at.SETTINGS_SIZE :] = packed(settings)
        self._settings = settings

    def lay(self, name: str, guide: Guide) -> None:
        """Lay a guide or zone; it grows along a ramp. One of the same name fades out meanwhile."""
        free = [g for g in range(at.MOST_GUIDES) if self._is_free(g)]
        if not free:
            raise SettingsError(f"no room for guide {name}; allowed: {at.MOST_GUIDES} at a time, fading ones included")
        self.remove(name)
        self.guide_rows[free[0]] = guide.row()
        self.state[at.GUIDE_GAIN + free[0]] = 0.0
        self._names[name] = free[0]

    def remove(self, name: str) -> None:
        """Let a guide fade out; nothing happens if there is none of that name."""
        row = self._names.pop(name, None)
        if row is not None:
            self.guide_rows[row, at.WANTED] = 0.0

    def energy_of(self, cause: Cause) -> float:
        """Energy that went from the hand into one cause [J]; negative: it gave energy."""
        return float(self.state[at.CAUSE_ENERGY + cause])

    def _is_free(self, row: int) -> bool:
        return bool(self.guide_rows[row, at.WANTED] == 0.0 and self.state[at.GUIDE_GAIN + row] == 0.0)
