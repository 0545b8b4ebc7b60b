"""The dialect `wordpress` of the embedded service, for pressync's own client and for curl.

It shows the part of WordPress's interface that the dialect uses, with the same statuses, codes and oddities.
A differential suite plays the same requests against this package and against real WordPress.
"""
