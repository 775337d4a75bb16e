from runtime.call.meter import MOST_TAKEN_BACK_SECONDS, Meter


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_nothing_is_connected_before_the_first_leg():
    meter = Meter(Clock())
    meter.hold()
    assert meter.connected_ms is None


def test_counts_from_the_first_leg_on():
    clock = Clock()
    meter = Meter(clock)
    meter.run()
    assert meter.connected_ms == 0
    clock.now += 2.5
    assert meter.connected_ms == 2500


def test_does_not_count_while_nobody_is_connected():
    clock = Clock()
    meter = Meter(clock)
    meter.run()
    clock.now += 1
    meter.hold()
    clock.now += 10
    assert meter.connected_ms == 1000
    meter.run()
    clock.now += 1
    assert meter.connected_ms == 2000


def test_a_second_leg_does_not_count_twice():
    clock = Clock()
    meter = Meter(clock)
    meter.run()
    clock.now += 1
    meter.run()
    clock.now += 1
    assert meter.connected_ms == 2000


def test_time_in_which_nothing_came_is_taken_back():
    clock = Clock()
    meter = Meter(clock)
    meter.run()
    clock.now += 10
    meter.hold(ago_seconds=2.5)
    meter.hold()
    assert meter.connected_ms == 7500


def test_no_more_is_taken_back_than_was_counted():
    clock = Clock()
    meter = Meter(clock)
    meter.run()
    clock.now += 1
    meter.hold(ago_seconds=2.5)
    assert meter.connected_ms == 0


def test_a_few_interruptions_are_taken_back_in_full():
    clock = Clock()
    meter = Meter(clock)
    for _ in range(10):
        meter.run()
        clock.now += 60
        meter.hold(ago_seconds=2.9)
        clock.now += 10
    assert meter.connected_ms == 10 * (60_000 - 2_900)


def test_a_caller_who_pauses_again_and_again_pays_for_what_it_hears():
    clock = Clock()
    meter = Meter(clock)
    for _ in range(100):
        meter.run()
        clock.now += 2.5
        meter.hold(ago_seconds=2.5)
        clock.now += 0.5
    assert meter.connected_ms == (100 * 2.5 - MOST_TAKEN_BACK_SECONDS) * 1000


def test_only_time_since_the_meter_runs_again_is_taken_back():
    clock = Clock()
    meter = Meter(clock)
    meter.run()
    clock.now += 10
    meter.hold()
    clock.now += 5
    meter.run()
    clock.now += 1
    meter.take_back(2.5)
    clock.now += 1
    assert meter.connected_ms == 11_000
