"""Requests that spend money outside of calls: metered and limited for each tenant."""
