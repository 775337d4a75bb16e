from runtime.journal.shipping_cursor import LAG_SECONDS, ShippingCursor


def test_goes_on_where_it_stopped():
    cursor = ShippingCursor(now=0)
    cursor.sent(3, now=0)
    assert cursor.next_seq == 4
    cursor.applied(2, now=1)
    assert cursor.next_seq == 4


def test_a_restarted_link_gets_everything_that_is_not_applied():
    cursor = ShippingCursor(now=0)
    cursor.sent(9, now=0)
    cursor.link_restarted(4, now=1)
    assert cursor.next_seq == 5


def test_what_was_applied_before_is_not_sent():
    cursor = ShippingCursor(now=0)
    cursor.applied(7, now=1)
    assert cursor.next_seq == 8


def test_events_that_are_not_applied_in_time_are_sent_again():
    cursor = ShippingCursor(now=0)
    cursor.sent(9, now=0)
    cursor.applied(4, now=1)
    cursor.applied(4, now=1 + LAG_SECONDS - 0.1)
    assert cursor.next_seq == 10
    cursor.applied(4, now=1 + LAG_SECONDS)
    assert cursor.next_seq == 5


def test_waits_twice_as_long_after_each_repetition_in_vain():
    cursor = ShippingCursor(now=0)
    cursor.sent(1, now=0)
    cursor.applied(0, now=LAG_SECONDS)
    assert cursor.next_seq == 1
    cursor.sent(1, now=LAG_SECONDS)
    cursor.applied(0, now=2.5 * LAG_SECONDS)
    assert cursor.next_seq == 2
    cursor.applied(0, now=3 * LAG_SECONDS)
    assert cursor.next_seq == 1


def test_a_call_with_nothing_outstanding_does_not_lag():
    cursor = ShippingCursor(now=0)
    cursor.sent(1, now=0)
    cursor.applied(1, now=1)
    cursor.applied(1, now=1000)
    assert cursor.next_seq == 2
    cursor.sent(2, now=1000)
    cursor.applied(1, now=1001)
    assert cursor.next_seq == 3
