"""What every port that strangers reach has in common: who connects, how many at once, and how long
they may keep it waiting."""
