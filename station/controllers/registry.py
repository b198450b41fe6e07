"""Opening a controller by its address. Schemes are entry points, so a third party adds one by installing a package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import EntryPoint
from typing import Any, Protocol, runtime_checkable

from station.clock import WALL, Clock
from station.controllers.controller import LONGEST_LOST_AFTER, ControlledJoint, Controller
from station.controllers.errors import ControllerAddressError, ControllerError, ControllerSlowError
from station.controllers.order import in_order_of, through_gear
from station.devices.address import Address, parse_address
from station.devices.errors import AddressError
from station.devices.registry import entries_of

GROUP = "station.controllers"
RETRY = 0.5  # time between two attempts while waiting for a controller to appear [s]


class ControllerScheme(Protocol):
    """What an entry point of the group `station.controllers` names: an object with this function."""

    def open(self, address: Address, clock: Clock) -> Controller:
        """Open the controller at an address, or raise a ControllerError."""


@runtime_checkable
class ParticularController(Protocol):
    """A controller that looks at more of a scene than the names of its joints."""

    def check_scene(self, joints: Sequence[ControlledJoint]) -> None:
        """Raise a ControllerMismatchError if it cannot do what these joints can."""


@runtime_checkable
class TimedScheme(Protocol):
    """A scheme whose arms can be told, by `watchdog` [s] in an address, after which silence they stop by themselves."""

    takes_watchdog: bool


def controller_schemes() -> dict[str, EntryPoint]:
    """All known schemes by name."""
    return entries_of(GROUP)


def parse_controller_address(url: str) -> Address:
    """Take an address apart; a scheme may have a plus, as in modbus+serial."""
    scheme, colon, rest = url.partition(":")
    try:
        return parse_address(f"{scheme.replace('+', '-')}{colon}{rest}")._replace(url=url, scheme=scheme.lower())
    except AddressError as error:
        if scheme and rest:
            raise ControllerAddressError(str(error)) from None
        raise ControllerAddressError(
            f"{url!r} is not the address of a controller; write scheme:place, for example tcp://127.0.0.1:5555"
        ) from None


def open_controller(
    url: str,
    clock: Clock = WALL,
    joints: Sequence[ControlledJoint] | None = None,
    wait: float = 0.0,
    watchdog: float | None = None,
) -> Controller:
    """Open a controller, for example `tcp://127.0.0.1:5555`, `serial:/dev/ttyACM0`, `modbus://10.0.0.7:502`.

    With `joints`, those of the scene, its joints are matched by name and setpoints and measurements are in the order
    given; what does not match is a ControllerMismatchError. `wait` is how long to go on trying while nothing is
    there [s]. `watchdog` is asked of an arm that can be told after which silence it stops [s], unless its address says
    it; others have their own, see `Capabilities`.
    """
    address = parse_controller_address(url)
    scheme = load_scheme(address)
    if watchdog is not None and isinstance(scheme, TimedScheme) and "watchdog" not in address.options:
        address = address._replace(options={**address.options, "watchdog": repr(watchdog)})
    end = clock.now() + wait
    while True:
        try:
            controller = _quick_enough(scheme.open(address, clock))
            break
        except (ControllerError, AddressError) as error:
            if isinstance(error, ValueError) or clock.now() + RETRY > end:  # a wrong address gets no better
                raise
        clock.sleep_until(clock.now() + RETRY)
    return controller if joints is None else fitted(controller, joints)


def _quick_enough(controller: Controller) -> Controller:
    """The controller, unless it would be missed too late: then it is closed and raises."""
    if controller.lost_after > LONGEST_LOST_AFTER:
        controller.close()
        raise ControllerSlowError(
            f"{controller.url}: it measures too seldom: only after {1000.0 * controller.lost_after:.0f} ms would it be "
            f"missed, and an arm that is led must be within {1000.0 * LONGEST_LOST_AFTER:.0f} ms; raise its rate"
        )
    return controller


def fitted(controller: Controller, joints: Sequence[ControlledJoint]) -> Controller:
    """The controller as a scene's joints are, if it can do what they can; else it is closed and raises."""
    ordered = in_order_of(controller, joints)
    if isinstance(controller, ParticularController):
        try:
            controller.check_scene([through_gear(joint, 1.0 / joint.gear) for joint in joints])
        except ControllerError:
            controller.close()
            raise
    return ordered


def load_scheme(address: Address) -> ControllerScheme:
    """What opens an address; a ControllerAddressError if there is no such kind of controller."""
    scheme: ControllerScheme = scheme_of(address, controller_schemes(), "controller")
    return scheme


def scheme_of(address: Address, known: Mapping[str, EntryPoint], what: str) -> Any:
    """The object that an entry point names for the scheme of an address; raises a ControllerAddressError."""
    name = address.scheme.partition("+")[0]  # modbus+serial is a way of modbus
    if name not in known:
        raise ControllerAddressError(
            f"{address.url}: unknown kind of {what} {address.scheme!r}; there are: {', '.join(known)}, and sim in a run"
        )
    try:
        return known[name].load()
    except (ImportError, AttributeError) as error:  # a third party's package, or half an installation
        package = known[name].value
        raise ControllerAddressError(
            f"{address.url}: {package} cannot be loaded ({error}); install it again"
        ) from error
