"""Finds the interface and the dialect of a site from the address that people know, with the evidence.

Stock WordPress names the address of its interface, and its interface lists its routes. Every other service
is considered one in the documented dialect; the first write of a sync checks the dialect again. No request
has credentials.
"""

from __future__ import annotations

from dataclasses import dataclass

from pressync.client import probe
from pressync.client.address import parse
from pressync.client.dialects import DEFAULT, WORDPRESS
from pressync.client.wordpress import discover
from pressync.model.errors import BadAnswer, NotSent


@dataclass(frozen=True, slots=True)
class Detected:
    """The base address, the dialect, and the evidence as sentences."""

    url: str
    dialect: str
    evidence: tuple[str, ...]


def detect(address: str) -> Detected:
    """Find the interface of a site by its address, or by that of the interface; https is the default.

    http is never tried instead, because the address that is found gets the credentials later.

    :raises ConfigError: the address is invalid.
    :raises ServiceError: no service responds there.
    """
    place = address if "://" in address else f"https://{address}"
    # Checked before anything is sent: these errors never repeat the address.
    parse(place)
    evidence: list[str] = []
    try:
        base = discover(place, tell=evidence.append)
    except NotSent as error:
        if place != address:
            error.what += " (the address does not say http or https, so https was taken)"
            error.todo = (
                f"if the site has http alone, write http://{address}; if not, {error.todo or 'try again'}"
            )
        raise
    except BadAnswer:
        base = place.rstrip("/")
        evidence.append(
            f"{base} does not name an interface as WordPress does, so it is considered the interface"
        )
    else:
        evidence.append(f"{place} says that its interface is {base}")
    seen = probe.probe(base)
    asked = f"GET {seen.asked}: {seen.status}"
    if seen.wordpress:
        return Detected(base, WORDPRESS.name, (*evidence, f"{asked}; {seen.wordpress}"))
    return Detected(base, DEFAULT.name, (*evidence, f"{asked}; no sign of stock WordPress"))
