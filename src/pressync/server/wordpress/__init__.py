"""The face of the embedded service that speaks as WordPress does, for the dialect `wordpress` and for curl.

It shows the part of WordPress's interface that the dialect uses, with the same statuses, codes and oddities.
A differential suite plays the same requests against this face and against real WordPress.
"""
