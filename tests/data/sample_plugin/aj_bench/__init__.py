"""A backend for the machines on a laboratory bench, as a package of its own."""
