"""The submission daemon: the job journal, its queue and its HTTP face."""
