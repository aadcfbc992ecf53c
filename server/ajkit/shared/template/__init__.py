"""The resolution engine: from YAML files to one merged config that knows where everything came from."""
