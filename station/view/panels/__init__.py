"""Dockable panels of the window."""

from station.view.panels.device import DevicePanel
from station.view.panels.events import EventsPanel
from station.view.panels.haptics import HapticsPanel
from station.view.panels.links import LinksPanel
from station.view.panels.marks import MarksPanel
from station.view.panels.panel import Panel
from station.view.panels.plots import PlotsPanel
from station.view.panels.postures import PosturesPanel
from station.view.panels.supervisor import SupervisorPanel
from station.view.panels.sweep import SweepPanel

LIVE: tuple[type[Panel], ...] = (SupervisorPanel, HapticsPanel, LinksPanel, PlotsPanel, EventsPanel)
DESIGN: tuple[type[Panel], ...] = (PosturesPanel, DevicePanel, SweepPanel)
PANELS: tuple[type[Panel], ...] = (*DESIGN, MarksPanel, *LIVE)

__all__ = ["DESIGN", "LIVE", "PANELS", "Panel"]
