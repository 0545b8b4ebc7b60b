"""What each command does, without a terminal; `workspace` opens everything that a command needs."""
