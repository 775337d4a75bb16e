from runtime.media.liveness import Liveness, Verdict


def verdicts(liveness: Liveness, *times: float) -> list[Verdict]:
    return [liveness.judge(time) for time in times]


def test_a_peer_that_is_heard_is_alive() -> None:
    liveness = Liveness(0.0)
    for half_second in range(1, 100):
        liveness.heard(half_second / 2 - 0.01)
        assert liveness.judge(half_second / 2) == "alive"


def test_a_silent_peer_is_asked_then_away_and_lost_after_twenty_seconds() -> None:
    judged = verdicts(Liveness(0.0), *[half_second / 2 for half_second in range(1, 42)])
    assert judged == ["alive"] + ["ask"] * 3 + ["away"] * 35 + ["lost"] * 2


def test_a_peer_that_was_away_is_alive_with_its_first_packet() -> None:
    liveness = Liveness(0.0)
    assert verdicts(liveness, 1.0, 2.0, 3.0)[-1] == "away"
    assert liveness.silent_seconds == 3.0
    liveness.heard(3.4)
    assert liveness.judge(3.5) == "alive"


def test_an_answer_makes_a_silent_peer_alive_again() -> None:
    liveness = Liveness(0.0)
    assert verdicts(liveness, 0.5, 1.0, 1.5, 2.0)[-1] == "ask"
    liveness.heard(2.4)
    assert liveness.judge(2.5) == "alive"


def test_a_standstill_of_this_process_is_not_held_against_the_peer() -> None:
    assert verdicts(Liveness(0.0), 60.0, 60.5) == ["ask", "ask"]


def test_silence_is_counted_from_the_last_packet() -> None:
    liveness = Liveness(0.0)
    liveness.heard(0.25)
    assert verdicts(liveness, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0)[-2:] == ["ask", "away"]
    assert liveness.silent_seconds == 2.75


def test_a_return_is_told_with_the_first_packet_after_it_was_away_and_only_then() -> None:
    liveness, returns = Liveness(0.0), list[float]()
    liveness.on_return = lambda: returns.append(liveness.silent_seconds)
    assert verdicts(liveness, 0.5, 1.0, 1.5, 2.0)[-1] == "ask"
    liveness.heard(2.2)
    assert verdicts(liveness, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0)[-1] == "away"
    assert returns == []
    liveness.heard(5.01)
    liveness.heard(5.03)
    assert returns == [0.0]
