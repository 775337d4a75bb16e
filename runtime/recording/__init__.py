"""Recording a call while it runs."""
