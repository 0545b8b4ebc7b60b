"""The client: the port, HTTP, retry and the dialects."""
