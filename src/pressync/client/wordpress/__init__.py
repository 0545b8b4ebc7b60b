"""Stock WordPress, 6.1 and later: the dialect, and the service with its reads, terms and media.

The network library is imported only when a request is sent, so a command that sends none does not load it.
"""

from pressync.client.wordpress.service import WordPressService

__all__ = ["WordPressService"]
