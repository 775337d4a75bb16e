"""The realtime model of a call: watched, and given up for the pipeline when it fails."""
