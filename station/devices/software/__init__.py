"""Devices without hardware: a panel on the screen and the keyboard. The window that shows them is elsewhere.

panel = panels.get("main")          # opened by `panel:` or `panel:main`
panel.set_axis("x", -0.5)           # 50 % away from the operator
panel.press("dead-man")
panel.refresh()                     # once per frame: who does not is let go of after 0.1 s
"""

from station.devices.software.keyboard import KeyboardDevice, keyboards
from station.devices.software.panel import PanelDevice, panels

__all__ = ["KeyboardDevice", "PanelDevice", "keyboards", "panels"]
