"""Requests that no browser of good will sends: broken lines, addresses and headers, as bytes for a socket."""

from __future__ import annotations

import socket
import struct

# `HOST` stands for the host header of the server.
BROKEN = (
    b"GET //[ HTTP/1.1\r\nHost: HOST\r\n\r\n",
    b"GET http://[ HTTP/1.1\r\nHost: HOST\r\n\r\n",
    b"GET http://[::1%]:x/ HTTP/1.1\r\nHost: HOST\r\n\r\n",
    b"GET //evil:99999/x HTTP/1.1\r\nHost: HOST\r\n\r\n",
    b"GET //\xe2\x84\x80/ HTTP/1.1\r\nHost: HOST\r\n\r\n",
    b"GET\r\n\r\n",
    b"GET / HTTP/one\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: HOST\r\nHost: [\r\n\xff\xfe\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: HOST\r\nContent-Length: -1\r\n\r\n",
    b"GET /" + b"a" * 300_000 + b" HTTP/1.1\r\nHost: HOST\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: HOST\r\n" + b"X-A: b\r\n" * 500 + b"\r\n",
)


def answered(host: str, request: bytes) -> bytes:
    """Send the bytes, and give the first line of the answer; b"" if the server hangs up."""
    name, _, port = host.rpartition(":")
    with socket.create_connection((name, int(port)), timeout=60) as line:
        try:
            line.sendall(request.replace(b"HOST", host.encode()))
            line.shutdown(socket.SHUT_WR)
            return line.makefile("rb").readline()
        except OSError:
            return b""


def broken_off(host: str, request: bytes) -> None:
    """Send the bytes, and reset the connection before the answer comes."""
    name, _, port = host.rpartition(":")
    with socket.create_connection((name, int(port)), timeout=60) as line:
        line.sendall(request.replace(b"HOST", host.encode()))
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
