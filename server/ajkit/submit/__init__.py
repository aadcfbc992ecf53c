"""The execution registry: service name to the backend that runs it."""
