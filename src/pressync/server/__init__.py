"""The embedded content service: one store in SQLite, the faces of both dialects, and its records as a site.

It is the other side of the wire, so it imports only the interface and `html`. The client's assumptions must
never decide the responses of the service.
"""
