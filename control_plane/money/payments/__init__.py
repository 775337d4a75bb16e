"""How money comes in: checkouts, saved payment methods, automatic recharges, gateways' events."""
