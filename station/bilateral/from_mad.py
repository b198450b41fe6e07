"""Settings of a link from what a MAD file says and what is set of the forces."""

from __future__ import annotations

from dataclasses import replace

from station.bilateral.settings import Architecture, BilateralMethod, BilateralSettings
from station.haptics import Gains, HapticSettings
from station.mad.scene import HapticBilateral, Haptics, LinkArchitecture, LinkMethod

METHODS = {
    LinkMethod.DIRECT: BilateralMethod.DIRECT,
    LinkMethod.PASSIVITY: BilateralMethod.PASSIVITY,
    LinkMethod.WAVES: BilateralMethod.WAVES,
}
ARCHITECTURES = {
    LinkArchitecture.POSITION_FORCE: Architecture.POSITION_FORCE,
    LinkArchitecture.POSITION_POSITION: Architecture.POSITION_POSITION,
    LinkArchitecture.FOUR_CHANNEL: Architecture.FOUR_CHANNEL,
}
FIRMER = 4.0  # times the bound of a plain spring: what that would generate is observed here
WIDE = 1000.0  # corner of a low-pass that lets everything through [Hz]


def reflection_from(
    haptics: Haptics | None,
    forces: HapticSettings,
    gains: Gains,
    method: BilateralMethod | None = None,
    architecture: Architecture | None = None,
    two_port: bool = False,
) -> BilateralSettings:
    """How contact is reflected; scale, filter, limits and ages are those of the effect `contact`.

    Given method and architecture go before those of the file. Firmness follows from the device. `two_port`: the arm
    runs its end; it knows straight motion only, so waves do not turn.
    """
    file = (haptics.bilateral if haptics is not None else None) or HapticBilateral()
    contact, coupling, plain = forces.contact, forces.coupling, BilateralSettings()
    firmness = file.firmness or max(FIRMER * gains.straight.bound, coupling.stiffness, 1.0)
    chosen = architecture or (ARCHITECTURES[file.architecture] if file.architecture else plain.architecture)
    how = method or (METHODS[file.type] if file.type else plain.method)
    turns = any(torque > 0.0 for torque in forces.limits.for_long[3:]) and chosen is Architecture.POSITION_FORCE
    turns = turns and how is not BilateralMethod.WAVES
    return BilateralSettings(
        method=how,
        architecture=chosen,
        two_port=two_port,
        turns=turns,
        period=forces.stability.period,
        force_scale=max(contact.scale, 1e-3),
        cutoff=contact.cutoff,
        force=contact.force,
        torque=max(forces.limits.torque, 1e-4) if turns else plain.torque,
        fresh=contact.fresh,
        old=contact.stale,
        stiffness=max(coupling.stiffness, 1.0),
        damping=coupling.damping,
        firmness=min(firmness, 1e5),
        turn_firmness=min(max(FIRMER * gains.turning.bound, coupling.turn_stiffness, 1e-3), 200.0),
        impedance=file.impedance or plain.impedance,
    )


def without_reflection(forces: HapticSettings) -> HapticSettings:
    """The same forces, with scale and filter of contact left to the link: what is behind it must not change it."""
    return replace(forces, contact=replace(forces.contact, scale=1.0, cutoff=WIDE))
