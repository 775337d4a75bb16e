"""Adapters of payment gateways. Only these modules know a gateway's API."""
