"""The embedded content service: the documented interface over SQLite, and its records as a web site.

It is the other side of the wire, so it imports only the interface and `html`. The client's assumptions must
never decide the responses of the service.
"""
