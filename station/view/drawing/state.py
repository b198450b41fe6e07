"""`State`: what OpenGL is told about depth, blending and masks; only changes are sent, as each costs microseconds."""

from __future__ import annotations

from typing import Any

from station.view.drawing.library import gloo

SWITCHES = ("depth_test", "blend", "cull_face")
MIN = 0x8007  # the darker of what is there and what is drawn


class State:
    """The state of the current canvas while a picture is drawn."""

    def __init__(self) -> None:
        self._known: dict[str, Any] = {}

    def begin(self) -> None:
        """A new picture: whatever drew last, vispy or Qt, may have left anything behind."""
        self._known.clear()
        self.set(darken=False)
        gloo.set_blend_func("src_alpha", "one_minus_src_alpha", "one", "one_minus_src_alpha")

    def set(self, **wanted: Any) -> None:
        """Switches `depth_test`, `blend`, `cull_face`, `darken`; and `depth_mask`, `depth_func`, `color_mask`."""
        for name, value in wanted.items():
            if self._known.get(name) == value:
                continue
            self._known[name] = value
            if name in SWITCHES:
                queue = gloo.get_current_canvas().context.glir
                queue.command("FUNC", "glEnable" if value else "glDisable", name)
            elif name == "color_mask":
                gloo.set_color_mask(*value)
            elif name == "darken":
                gloo.set_blend_equation(MIN if value else "func_add")
            else:
                getattr(gloo, f"set_{name}")(value)
