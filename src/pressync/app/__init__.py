"""Does the work of each command, without a terminal; `workspace` opens everything that a command needs."""
