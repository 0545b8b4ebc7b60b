"""Stock WordPress, 6.1 and later: the dialect, and the service with the reads that it makes possible.

It must not import the network library until a site is really asked: a plan that opens no socket reads
capabilities here.
"""

from pressync.service.wordpress.description import Description
from pressync.service.wordpress.dialect import WORDPRESS
from pressync.service.wordpress.discovery import discover
from pressync.service.wordpress.identity import Identity, missing_rights
from pressync.service.wordpress.service import WordPressService

__all__ = ["WORDPRESS", "Description", "Identity", "WordPressService", "discover", "missing_rights"]
