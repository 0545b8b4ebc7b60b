"""The embedded content service: the documented interface over SQLite, and its records as a web site.

It is the far side of the wire, so it knows the interface and nothing else of pressync: what the client
believes must never decide what the service answers.
"""
