"""Names the provider behind an address that WordPress shows as a player. Pure.

WordPress has a table of providers in each version, and asks no other site. These rows are those that 6.1, 6.8
and 7.1 have in common, in `class-wp-oembed.php`. Where WordPress takes every address of a host, a row needs a
path: the start of such a site is not a film. Shops are left out, because few of their pages are players.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_ANY = r"(?:[a-z0-9-]+\.)*"
# The name of each provider, and the pattern of its addresses after the scheme.
PROVIDERS: Mapping[str, str] = {
    "YouTube": r"(?:(?:m\.|www\.)?youtube\.com/(?:watch\?|playlist\?|shorts/)|youtu\.be/).+",
    "Vimeo": rf"{_ANY}vimeo\.com/.+",
    "Dailymotion": r"(?:(?:www\.)?dailymotion\.com|dai\.ly)/.+",
    "Flickr": r"(?:(?:www\.)?flickr\.com|flic\.kr)/.+",
    "SmugMug": rf"{_ANY}smugmug\.com/.+",
    "Scribd": r"(?:www\.)?scribd\.com/(?:doc|document)/.+",
    "WordPress.tv": r"wordpress\.tv/.+",
    "Crowdsignal": rf"(?:{_ANY}polldaddy\.com|poll\.fm|{_ANY}survey\.fm)/.+",
    "Twitter": r"(?:www\.)?twitter\.com/\w{1,15}/status(?:es)?/.+",
    "SoundCloud": r"(?:www\.)?soundcloud\.com/.+",
    "Spotify": r"(?:open|play)\.spotify\.com/.+",
    "Issuu": r"(?:www\.)?issuu\.com/.+/docs/.+",
    "Mixcloud": r"(?:www\.)?mixcloud\.com/.+",
    "TED": r"(?:www\.|embed\.)?ted\.com/talks/.+",
    "Animoto": r"(?:www\.)?(?:animoto|video214)\.com/play/.+",
    "Tumblr": r"(?:[a-z0-9-]+\.)+tumblr\.com/.+",
    "Kickstarter": r"(?:(?:www\.)?kickstarter\.com/projects|kck\.st)/.+",
    "Cloudup": r"cloudup\.com/.+",
    "ReverbNation": r"(?:www\.)?reverbnation\.com/.+",
    "VideoPress": r"videopress\.com/v/.+",
    "Reddit": r"(?:www\.)?reddit\.com/r/[^/]+/comments/.+",
    "Speaker Deck": r"(?:www\.)?speakerdeck\.com/.+",
    "TikTok": r"(?:www\.)?tiktok\.com/.+/video/.+",
    "Pinterest": r"(?:[a-z]{2}|www)\.pinterest\.com(?:\.(?:au|mx))?/.+",
    "Wolfram Cloud": r"(?:www\.)?wolframcloud\.com/obj/.+",
    "Pocket Casts": r"pca\.st/.+",
}
# What WordPress takes for an address on a line of its own. The patterns see no more characters than this.
_ADDRESS = re.compile(r"https?://([^\s<>\"]{4,2000})", re.IGNORECASE)


def provider_of(address: str) -> str:
    """Name the provider of an address; "" if WordPress does not know it in every version."""
    if not (shown := _ADDRESS.fullmatch(address)):
        return ""
    rows = PROVIDERS.items()
    return next((name for name, row in rows if re.fullmatch(row, shown[1], re.IGNORECASE)), "")
