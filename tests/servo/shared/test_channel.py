"""Commands arrive once, in order, fairly, and nothing that a client writes harms the servo."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from station.servo.shared import (
    BusyError,
    Cause,
    Command,
    CommandClient,
    CommandError,
    CommandIntake,
    EmergencyStop,
    Engage,
    Follow,
    Hold,
    JointTargets,
    LayoutError,
    NoServoError,
    Reason,
    SetGain,
    StateReader,
    StateWriter,
)
from station.servo.shared.channel import (
    DEPTH,
    HEADER_WORDS,
    MOST_PER_TICK,
    NUMBERS,
    SLOTS,
    CommandHead,
    SlotCounters,
    slot_words,
)
from station.servo.shared.memory import Words
from tests.servo.shared.test_commands import EXAMPLES


@pytest.fixture
def client(intake: CommandIntake) -> Iterator[CommandClient]:
    with CommandClient(intake.path) as made:
        yield made


def served(intake: CommandIntake, reason: Reason = Reason.ACCEPTED, most: int = 100) -> list[Command]:
    """Everything that is there, answered alike."""
    got: list[Command] = []

    def decide(command: Command) -> Reason:
        got.append(command)
        return reason

    intake.serve(decide, tick=5, most=most)
    return got


COMMANDS = SlotCounters.fixed_size // 8  # where a client's commands are in its place [words]


def place_of(intake: CommandIntake, slot: int) -> Words:
    """The words of a client's place, as it could write them."""
    words = np.frombuffer(intake._file.memory, np.int64)
    start = HEADER_WORDS + slot * slot_words(3)
    return words[start : start + slot_words(3)]


def counters_of(intake: CommandIntake, slot: int) -> SlotCounters:
    """Its counters."""
    return SlotCounters(place_of(intake, slot).view(np.uint8))


def test_every_command_arrives_as_it_was_sent(intake: CommandIntake, client: CommandClient) -> None:
    for command in EXAMPLES:
        number = client.send(command)
        assert client.acknowledgement(number) is None
        assert served(intake) == [command]
        answer = client.acknowledgement(number)
        assert answer is not None
        assert (answer.accepted, answer.reason, answer.tick) == (True, Reason.ACCEPTED, 5)


@pytest.mark.parametrize("reason", list(Reason))
def test_a_refusal_carries_its_reason(intake: CommandIntake, client: CommandClient, reason: Reason) -> None:
    number = client.send(Engage())
    served(intake, reason)
    answer = client.acknowledgement(number)
    assert answer is not None
    assert answer.reason is reason
    assert answer.accepted == (reason is Reason.ACCEPTED)


def test_work_per_tick_is_bounded(intake: CommandIntake, client: CommandClient) -> None:
    for number in range(10):
        client.send(Follow(number))
    assert [len(served(intake, most=MOST_PER_TICK)) for _ in range(4)] == [4, 4, 2, 0]


def test_a_full_ring_is_told_and_nothing_is_lost(intake: CommandIntake, client: CommandClient) -> None:
    for number in range(DEPTH):
        client.send(Follow(number))
    with pytest.raises(BusyError, match="not answered"):
        client.send(Hold())
    assert served(intake) == [Follow(number) for number in range(DEPTH)]
    client.send(Hold())
    assert served(intake) == [Hold()]


def test_a_flood_of_one_client_does_not_crowd_out_another(intake: CommandIntake, client: CommandClient) -> None:
    for number in range(DEPTH):
        client.send(Follow(number))
    with CommandClient(intake.path) as other:
        other.send(Hold())
        assert Hold() in served(intake, most=2)


def test_clients_have_places_of_their_own_and_give_them_back(intake: CommandIntake) -> None:
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(CommandClient(intake.path)) for _ in range(SLOTS)]
        numbers = [client.send(Follow(number)) for number, client in enumerate(clients)]
        with CommandClient(intake.path) as one_too_many, pytest.raises(BusyError, match="8 clients"):
            one_too_many.send(Hold())
        assert served(intake) == [Follow(number) for number in range(SLOTS)]
        assert all(client.acknowledgement(number) for client, number in zip(clients, numbers, strict=True))
        clients[3].close()
        with CommandClient(intake.path) as again:
            again.send(Hold())
            assert served(intake) == [Hold()]


def test_nothing_is_before_an_emergency_stop(intake: CommandIntake) -> None:
    """Eight clients with all their commands, and a ninth who has no place among them."""
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(CommandClient(intake.path)) for _ in range(SLOTS)]
        for number in range(DEPTH):
            for client in clients:
                client.send(Follow(number))
        for client in (clients[0], stack.enter_context(CommandClient(intake.path))):
            number = client.send(EmergencyStop())
            assert client.acknowledgement(number) is None
            assert served(intake, most=MOST_PER_TICK)[0] == EmergencyStop()
            answer = client.acknowledgement(number)
            assert answer is not None
            assert (answer.accepted, answer.tick) == (True, 5)


def test_two_who_stop_in_the_same_tick_are_both_answered_and_later_ones_stop_again(intake: CommandIntake) -> None:
    with CommandClient(intake.path) as one, CommandClient(intake.path) as other:
        numbers = one.send(EmergencyStop()), other.send(EmergencyStop())
        assert served(intake, Reason.WRONG_STATE) == [EmergencyStop()]
        for client, number in zip((one, other), numbers, strict=True):
            answer = client.acknowledgement(number)
            assert answer is not None
            assert answer.reason is Reason.WRONG_STATE
        assert not intake.waiting
        again = one.send(EmergencyStop())
        assert one.acknowledgement(again) is None
        assert served(intake) == [EmergencyStop()]


@pytest.mark.parametrize("word", [1, -1, -(1 << 63), (1 << 63) - 1])
def test_any_number_in_the_word_of_the_emergency_stop_is_one(intake: CommandIntake, word: int) -> None:
    intake.header.stop = word
    assert served(intake) == [EmergencyStop()]
    assert served(intake) == []


def test_the_commands_of_a_client_that_left_are_still_served(intake: CommandIntake) -> None:
    with CommandClient(intake.path) as gone:
        gone.send(Hold())
    with CommandClient(intake.path) as client:
        client.send(Engage())
        assert served(intake) == [Hold(), Engage()]


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("kind", 0),
        ("kind", 99),
        ("kind", -1),
        ("code", 999),
        ("code", -1),
        ("length", 2),
        ("length", 1 << 40),
        ("sequence", 7),
        ("check", 1),
        ("numbers", 12345),
    ],
)
def test_a_damaged_command_is_refused_and_counted(
    intake: CommandIntake, client: CommandClient, word: str, value: int
) -> None:
    number = client.send(SetGain(Cause.STOPS, 0.5))
    command = place_of(intake, 0)[COMMANDS:]
    if word == "numbers":
        command[NUMBERS] = value
    else:
        setattr(CommandHead(command.view(np.uint8)), word, value)
    assert intake.serve(lambda _: Reason.ACCEPTED, 1) == (0, 0, 1)
    answer = client.acknowledgement(number)
    assert answer is not None
    assert answer.reason is Reason.MALFORMED
    client.send(Hold())
    assert served(intake) == [Hold()]
    assert intake.malformed == 1


def test_numbers_that_no_honest_client_sends_are_refused(intake: CommandIntake, client: CommandClient) -> None:
    for wrong in (float("nan"), float("inf"), 1e9, -1.0):
        command = SetGain(Cause.STOPS, 1.0)
        object.__setattr__(command, "gain", wrong)
        number = client.send(command)
        assert served(intake) == []
        answer = client.acknowledgement(number)
        assert answer is not None
        assert answer.reason is Reason.MALFORMED
    assert intake.malformed == 4


@pytest.mark.parametrize("head", [-1, DEPTH + 1, 1 << 62, -(1 << 63)])
def test_a_counter_that_makes_no_sense_mutes_one_client_only(intake: CommandIntake, head: int) -> None:
    with CommandClient(intake.path) as bad, CommandClient(intake.path) as good:
        counters_of(intake, 0).head = head
        for _ in range(3):
            good.send(Hold())
            assert served(intake) == [Hold()]
        assert intake.malformed == 1
        bad.close()
        with CommandClient(intake.path) as next_one:
            next_one.send(Engage())
            assert served(intake) == [Engage()]


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(junk=some.lists(some.integers(-(1 << 63), (1 << 63) - 1), max_size=40), data=some.data())
def test_random_words_never_become_a_command_or_stop_the_servo(
    intake: CommandIntake, junk: list[int], data: some.DataObject
) -> None:
    place, counters = place_of(intake, 0), counters_of(intake, 0)
    for word in junk:
        place[data.draw(some.integers(COMMANDS, place.size - 1))] = word
    counters.head = counters.tail + data.draw(some.integers(0, DEPTH))
    assert served(intake) == []
    assert counters.tail == counters.head


def test_joint_targets_must_fit_the_robot(client: CommandClient) -> None:
    with pytest.raises(CommandError, match="wants 3"):
        client.send(JointTargets((0.0,) * 7))


def test_asking_a_servo_that_does_not_answer_ends(client: CommandClient) -> None:
    with pytest.raises(NoServoError, match="no answer"):
        client.ask(Hold(), patience=0.01)


@pytest.mark.parametrize(("word", "words"), [("magic", "not the command channel"), ("commands", "same release")])
def test_another_version_is_refused_in_one_line(intake: CommandIntake, word: str, words: str) -> None:
    setattr(intake.header, word, getattr(intake.header, word) + 1)
    with pytest.raises(LayoutError, match=words):
        CommandClient(intake.path)


def test_a_client_finds_the_servo_whose_state_is_shown(folder: Path) -> None:
    with StateWriter(3, name="arm", folder=folder), CommandIntake(3, "arm", folder):
        assert StateReader(folder=folder).alive
        assert CommandClient(folder=folder).alive
