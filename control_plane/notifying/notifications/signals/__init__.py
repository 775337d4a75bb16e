"""Facts that follow from others, and from the calendar, by thresholds."""
