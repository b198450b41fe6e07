"""What a USB device says of itself, as data, and the descriptors that pyusb makes of it."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

BULK = 2
INTERRUPT = 3

STRING = 3  # type of descriptor
US_ENGLISH = 0x0409
FULL_SPEED = 2  # libusb's number for 12 Mbit/s


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """One way in (address with bit 7) or out of a device."""

    address: int
    kind: int = BULK
    size: int = 64  # most bytes of one packet
    interval: int = 0  # of an interrupt endpoint: time between two looks [ms]


@dataclass(frozen=True, kw_only=True)
class Interface:
    """One function of a device; `extra` holds class descriptors, such as that of a HID."""

    endpoints: tuple[Endpoint, ...] = ()
    class_code: int = 0xFF
    subclass: int = 0
    protocol: int = 0
    extra: bytes = b""


@dataclass(frozen=True, kw_only=True)
class Identity:
    """Numbers, names and interfaces of a device; an empty name has no string descriptor."""

    vendor: int
    product: int
    version: int = 0x0100  # in binary-coded decimal
    manufacturer: str = ""
    name: str = ""
    serial_number: str = ""
    interfaces: tuple[Interface, ...] = (Interface(),)

    @property
    def strings(self) -> tuple[str, str, str]:
        """Names by index, from 1."""
        return self.manufacturer, self.name, self.serial_number

    def string_descriptor(self, index: int) -> bytes | None:
        """A name as it goes over the wire; index 0 lists the languages; None if there is no such name."""
        if index == 0:
            text = US_ENGLISH.to_bytes(2, "little")
        elif 1 <= index <= len(self.strings) and self.strings[index - 1]:
            text = self.strings[index - 1].encode("utf-16-le")
        else:
            return None
        return bytes([2 + len(text), STRING]) + text

    def device_descriptor(self, bus: int, address: int, ports: tuple[int, ...]) -> SimpleNamespace:
        """The device as a whole, and where it is plugged in."""
        index = [number if text else 0 for number, text in enumerate(self.strings, start=1)]
        return SimpleNamespace(
            bLength=18,
            bDescriptorType=1,
            bcdUSB=0x0200,
            bDeviceClass=0,
            bDeviceSubClass=0,
            bDeviceProtocol=0,
            bMaxPacketSize0=8,
            idVendor=self.vendor,
            idProduct=self.product,
            bcdDevice=self.version,
            iManufacturer=index[0],
            iProduct=index[1],
            iSerialNumber=index[2],
            bNumConfigurations=1,
            address=address,
            bus=bus,
            port_number=ports[-1],
            port_numbers=ports,
            speed=FULL_SPEED,
        )

    def configuration_descriptor(self) -> SimpleNamespace:
        """The only configuration."""
        total = 9 + sum(9 + len(each.extra) + 7 * len(each.endpoints) for each in self.interfaces)
        return SimpleNamespace(
            bLength=9,
            bDescriptorType=2,
            wTotalLength=total,
            bNumInterfaces=len(self.interfaces),
            bConfigurationValue=1,
            iConfiguration=0,
            bmAttributes=0x80,
            bMaxPower=50,
            extra_descriptors=b"",
        )

    def interface_descriptor(self, number: int) -> SimpleNamespace:
        """One interface."""
        interface = self.interfaces[number]
        return SimpleNamespace(
            bLength=9,
            bDescriptorType=4,
            bInterfaceNumber=number,
            bAlternateSetting=0,
            bNumEndpoints=len(interface.endpoints),
            bInterfaceClass=interface.class_code,
            bInterfaceSubClass=interface.subclass,
            bInterfaceProtocol=interface.protocol,
            iInterface=0,
            extra_descriptors=list(interface.extra),
        )

    def endpoint_descriptor(self, interface: int, number: int) -> SimpleNamespace:
        """One endpoint."""
        endpoint = self.interfaces[interface].endpoints[number]
        return SimpleNamespace(
            bLength=7,
            bDescriptorType=5,
            bEndpointAddress=endpoint.address,
            bmAttributes=endpoint.kind,
            wMaxPacketSize=endpoint.size,
            bInterval=endpoint.interval,
            bRefresh=0,
            bSynchAddress=0,
            extra_descriptors=b"",
        )
