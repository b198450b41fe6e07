"""A laser tracker that stands beside an emulated syntaxer and sees where its handle truly is."""

from __future__ import annotations

from firmware_bridge.instrument.lines import Floats
from sim_devices.instrument.serving import Beside
from sim_devices.instrument.settings import TrackerSettings
from sim_devices.syntaxer.plant import Plant


class HandleTracker(Beside):
    """Its target is at the ball of the handle; the device stands where the world begins."""

    def __init__(self, plant: Plant, settings: TrackerSettings | None = None, seed: int = 0) -> None:
        """Set it up beside a plant; `seed` is that of its noise and of where it stands."""
        self._plant = plant
        super().__init__(settings, seed)

    @property
    def truth(self) -> Floats:
        """Where the handle is, device frame (4, 4) [m]; nobody on the station's side may look."""
        return self._plant.pose
