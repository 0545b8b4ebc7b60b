"""Our side of the wire: the port, HTTP, retry and the dialects."""
