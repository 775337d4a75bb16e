"""Web pages that tenants name: fetched through the guarded client, and their text."""
