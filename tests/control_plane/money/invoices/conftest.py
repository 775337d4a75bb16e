from tests.control_plane.money.payments.conftest import payer, razorpay, settings, stripe

__all__ = ["payer", "razorpay", "settings", "stripe"]
