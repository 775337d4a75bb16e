"""What calls brought in and cost: lists, exports, and totals by day, agent and model."""
