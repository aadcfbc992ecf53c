"""The build path: Template + command line shape + command to JobSpec, without knowing any service."""
