"""Shows the work tree as a site on this machine, and follows each saved file."""
