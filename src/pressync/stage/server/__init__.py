"""The embedded service: one store in SQLite, both dialects on it, and its records as a web site.

It is the other side of the wire, so it imports only the interface and `html`. The client's assumptions must
never decide the responses of the service.
"""
