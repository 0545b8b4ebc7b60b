"""Old addresses and where they lead now."""
