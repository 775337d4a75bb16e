"""The API reference: a page that draws the OpenAPI document."""
