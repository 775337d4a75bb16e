"""What a call would cost, by the prices that a call's plan would freeze now."""
