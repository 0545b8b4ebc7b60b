"""Which interface is behind an address that people know, and in which dialect it speaks: by evidence.

It must not write or send credentials. What decided its shape: stock WordPress says where its interface is
and what it is; whatever does not say so is taken for the documented dialect, and the first write of a sync
looks again.
"""

from __future__ import annotations

from dataclasses import dataclass

from pressync.client import probe
from pressync.client.address import parse
from pressync.client.documented import DOCUMENTED
from pressync.client.wordpress import WORDPRESS, discover
from pressync.model.errors import BadAnswer


@dataclass(frozen=True, slots=True)
class Detected:
    """The base address, the dialect, and the sentences that say why."""

    url: str
    dialect: str
    evidence: tuple[str, ...]


def detect(address: str) -> Detected:
    """Find the interface of the site at `address`, which may be the interface's own; https is understood.

    :raises ConfigError: it is no address.
    :raises ServiceError: nothing answers there.
    """
    place = address if "://" in address else f"https://{address}"
    # Before anything is sent: what is wrong with an address is said without repeating it.
    parse(place)
    evidence: list[str] = []
    try:
        base = discover(place, tell=evidence.append)
    except BadAnswer:
        base = place.rstrip("/")
        evidence.append(f"{base} names no interface, as WordPress does; it is taken for the interface itself")
    else:
        evidence.append(f"{place} says that its interface is {base}")
    seen = probe.probe(base)
    asked = f"GET {seen.asked}: {seen.status}"
    if seen.wordpress:
        return Detected(base, WORDPRESS.name, (*evidence, f"{asked}; {seen.wordpress}"))
    return Detected(base, DOCUMENTED.name, (*evidence, f"{asked}; no sign of stock WordPress"))
