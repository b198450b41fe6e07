"""`PartsBar`: which hand of a station with several the panels are about; the state of each as a coloured dot."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PySide6 import QtCore, QtGui, QtWidgets

from station.servo.shared.commands import Lead
from station.view.desk import desk_of
from station.view.follow import FollowedPart
from station.view.panels.supervisor_words import GREY, said

if TYPE_CHECKING:
    from station.view.window import ViewWindow

ACROSS = 8  # names in a row: sixteen robots are two rows
WIDEST = 130  # of a name; longer ones are cut, and whole in the tip [px]
DOT = 12  # [px]
NEXT, LEAD = "N", "L"


class Seen(NamedTuple):
    """What a button shows of a part."""

    name: str
    colour: str
    leads: bool  # else its device leads another frame
    chosen: bool
    tip: str


class PartsBar(QtWidgets.QToolBar):
    """A button for each hand of the station, and for each robot that nobody leads; not there while there is one.

    A click chooses it for panels and orders. A device that the file lists for several frames is switched to the chosen
    one by key L, the button at the right, or a double click.

    Args:
        window: the window.
    """

    def __init__(self, window: ViewWindow) -> None:
        super().__init__("Hands", window)
        self.setObjectName("hands")
        self._window, self.desk = window, desk_of(window, window.follower)
        self.setMovable(False)
        self.toggleViewAction().setEnabled(False)  # it comes and goes with the station
        self.toggleViewAction().setVisible(False)
        self.setContextMenuPolicy(QtCore.Qt.ContextMenuPolicy.PreventContextMenu)
        whole = QtWidgets.QWidget()
        row = QtWidgets.QHBoxLayout(whole)
        row.setContentsMargins(2, 0, 6, 0)
        self._grid = QtWidgets.QGridLayout()
        self._grid.setSpacing(2)
        row.addLayout(self._grid)
        self.lead_button = QtWidgets.QPushButton()
        self.lead_button.setFocusPolicy(QtCore.Qt.FocusPolicy.NoFocus)
        self.lead_button.setToolTip("Its device leads this frame from now on, instead of what it leads; press it anew")
        self.lead_button.clicked.connect(lambda _=False: self.lead())
        row.addWidget(self.lead_button)
        row.addStretch(1)
        self.addWidget(whole)
        self.buttons: list[QtWidgets.QToolButton] = []
        self._seen: list[Seen] = []
        for key, act in ((NEXT, self.choose_next), (LEAD, self.lead)):
            QtGui.QShortcut(QtGui.QKeySequence(key), window).activated.connect(act)
        self.hide()

    def choose(self, part: FollowedPart) -> None:
        """Let panels and orders be about a part."""
        window = self._window
        window.follower.choose(part)
        window.say(f"chosen: {told(part)}")
        window.refresh()

    def choose_next(self) -> None:
        """The next one, after the last the first."""
        follower = self._window.follower
        if len(follower.parts) > 1:
            self.choose(follower.parts[(follower.parts.index(follower.chosen) + 1) % len(follower.parts)])

    def lead(self) -> None:
        """Let the device of the chosen part lead its frame, if it leads another; what became of it is told."""
        part = self._window.follower.chosen
        if not part.who:
            return
        if part.moment.nobody:
            self._window.say(f"{part.who}: no device leads it; commands do")
        elif part.moment.leads:
            self._window.say(f"{part.who}: its device leads it already")
        else:
            robot = part.moment.text.get("robot")
            done = f"{part.moment.name} leads {robot} now; press its dead-man anew"
            self.desk.order(Lead(on=True), f"lead {robot}", done=done)

    def refresh(self) -> None:
        """Show all parts as they are now."""
        follower = self._window.follower
        parts = follower.parts if len(follower.parts) > 1 else []
        seen = [seen_of(part, part is follower.chosen) for part in parts]
        self.setVisible(bool(seen))
        if len(seen) != len(self.buttons):
            self._rebuild(len(seen))
        for button, before, now in zip(self.buttons, self._seen, seen, strict=True):
            if now != before:
                self._show(button, now)
        self._seen = seen
        idle = [part for part in parts if not (part.moment.leads or part.moment.nobody)]
        chosen = follower.chosen
        self.lead_button.setVisible(bool(idle))
        self.lead_button.setEnabled(chosen in idle and not self.desk.unreachable)
        leads = f"{chosen.moment.name} leads {chosen.moment.text.get('robot')}"
        self.lead_button.setText(f"Let {chosen.who} lead ({LEAD})" if chosen in idle else leads)

    def _rebuild(self, count: int) -> None:
        for button in self.buttons:
            button.deleteLater()
        self.buttons = [QtWidgets.QToolButton() for _ in range(count)]
        self._seen = [Seen("", "", True, False, "")] * count
        for number, button in enumerate(self.buttons):
            button.setCheckable(True)
            button.setFocusPolicy(QtCore.Qt.FocusPolicy.NoFocus)
            button.setToolButtonStyle(QtCore.Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            button.clicked.connect(lambda _=False, number=number: self._clicked(number))
            button.installEventFilter(self)
            self._grid.addWidget(button, number // ACROSS, number % ACROSS)

    def _clicked(self, number: int) -> None:
        self._seen[number] = self._seen[number]._replace(tip="")  # Qt has changed how the button looks
        self.choose(self._window.follower.parts[number])

    def eventFilter(self, watched: QtCore.QObject, event: QtCore.QEvent) -> bool:  # noqa: N802 (Qt's name)
        """A double click lets it lead."""
        if event.type() is QtCore.QEvent.Type.MouseButtonDblClick and watched in self.buttons:
            self._clicked(self.buttons.index(watched))
            self.lead()
            return True
        return False

    def _show(self, button: QtWidgets.QToolButton, seen: Seen) -> None:
        elide = QtCore.Qt.TextElideMode.ElideMiddle
        button.setText(button.fontMetrics().elidedText(seen.name, elide, WIDEST))
        button.setIcon(dot(seen.colour, seen.leads))
        button.setChecked(seen.chosen)
        button.setToolTip(seen.tip)


def seen_of(part: FollowedPart, chosen: bool) -> Seen:
    """What is shown of a part; grey where its device leads something else: that is no state of the robot."""
    here = part.moment.leads or part.moment.nobody
    return Seen(named(part), said(part.moment).colour if here else GREY, here, chosen, told(part))


def told(part: FollowedPart) -> str:
    """A part in words: who leads what, and its state."""
    moment = part.moment
    robot, words = moment.text.get("robot"), said(moment)
    if moment.nobody:
        what = f"{robot}, led by commands alone"
    elif moment.leads:
        what = f"{moment.name} leads {robot}"
    else:
        what = f"{moment.name} does not lead {robot} now"
    return f"{what}: {words.state.lower()}" + (f", {words.cause}" if words.cause else "")


def named(part: FollowedPart) -> str:
    """A part in short: the hand and what it leads."""
    told_already = part.moment.nobody or part.who != part.moment.name
    return part.who if told_already else f"{part.who} → {part.moment.text.get('robot')}"


def dot(colour: str, filled: bool) -> QtGui.QIcon:
    """A disc of a colour, or a ring."""
    scale = 2  # for fine screens
    picture = QtGui.QPixmap(scale * DOT, scale * DOT)
    picture.fill(QtCore.Qt.GlobalColor.transparent)
    painter = QtGui.QPainter(picture)
    painter.setRenderHint(QtGui.QPainter.RenderHint.Antialiasing)
    painter.setPen(QtGui.QPen(QtGui.QColor(colour), 2 * scale))
    painter.setBrush(QtGui.QColor(colour) if filled else QtCore.Qt.BrushStyle.NoBrush)
    inset = 1.5 * scale
    painter.drawEllipse(QtCore.QRectF(inset, inset, scale * DOT - 2 * inset, scale * DOT - 2 * inset))
    painter.end()
    picture.setDevicePixelRatio(scale)
    return QtGui.QIcon(picture)
