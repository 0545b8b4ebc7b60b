"""Stock WordPress, 6.1 and later: the dialect, and the service with the reads that it makes possible.

It must not import the network library until a site is really asked: a plan that opens no socket reads
capabilities here.
"""

from pressync.client.wordpress.dialect import WORDPRESS
from pressync.client.wordpress.discovery import discover
from pressync.client.wordpress.service import WordPressService
from pressync.client.wordpress.site_info import Description
from pressync.client.wordpress.user_rights import Identity, missing_rights

__all__ = ["WORDPRESS", "Description", "Identity", "WordPressService", "discover", "missing_rights"]
