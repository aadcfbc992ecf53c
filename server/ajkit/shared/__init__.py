"""The core: values in, values out; no clock, no environment, no network, no editor."""
