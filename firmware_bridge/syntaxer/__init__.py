r"""The syntaxer's link: codec of docs/protocol_syntaxer.md. The device side in C is in firmware_bridge/firmware.

    from firmware_bridge.syntaxer.frames import Decoder, encode
    from firmware_bridge.syntaxer.messages import Command, Hello, Start, State, pack, unpack

    port.write(b"\0"  + encode(pack(Hello())))          # the zero ends whatever noise stood on the line
    for frame in decoder.feed(port.read(4096)):        # never raises; decoder.counters says what was bad
        message = unpack(frame)                        # Identity | ForeignIdentity | State | Error
    port.write(encode(pack(Start(rate=1000))))
    port.write(encode(pack(Command(currents, enable=True, heartbeat=tick), sequence=n)))

In the servo, compiled (codec.py; the same results, tested against each other):

    link = FastLink()                                  # and warm() once before the first tick
    if link.feed(port.read(4096)):                     # how many STATE frames came
        link.newest.counts                             # a record with the fields of State
    for frame in link.take_others():                   # IDENTITY and ERROR frames, rare
    port.write(link.command(currents, enable, led, heartbeat, sequence, time_us))

Enabling: the first COMMAND after START, a watchdog trip or a cleared fault must have `enable=False`, a later one
`enable=True`; `heartbeat` and `sequence` must change from one COMMAND to the next.

protocol.py      numbers of the protocol
frames.py        bytes ↔ frames, plain
messages.py      frames ↔ messages, plain
codec.py         both for STATE and COMMAND, compiled
connection.py    from the port to a sample and from a wrench to the port, compiled
sensing.py       one connection, and encoders that cannot be right
introduction.py  numbers of a device: by its handshake, by its calibration
driver.py        `SyntaxerDevice`
"""
