"""The client end of the wire: find or start the submission daemon and talk to it."""
