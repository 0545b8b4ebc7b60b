"""A response of megabytes that would become gigabytes of objects is refused before it is parsed."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from tests.support.strict_service import Fault, answer, serving

from pressync.client.json_size import MOST_VALUES, is_overfull

# Less than a half of what 60 MB of empty objects cost.
_MEMORY = 700 * 1024 * 1024
_ASKING = f"""
import resource, sys
from pressync.model.errors import ServiceError
from pressync.model.interface import Kind
from pressync.model.calls import UpdateCall
from pressync.client.connect import open_service
service = open_service(sys.argv[1])
resource.setrlimit(resource.RLIMIT_AS, ({_MEMORY}, {_MEMORY}))
try:
    service.carry_out(UpdateCall(Kind.PAGE, 1, {{"title": "x"}}))
except ServiceError as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (200, "BadAnswer the response has more than 500,000 values, more than any record has; check `url`"),
        (400, "Refused the service refused with 400"),
    ],
)
@pytest.mark.sweep
def test_sixty_megabytes_of_objects_cost_little_more_than_themselves(status: int, said: str) -> None:
    body = b'{"id": 1, "x": [' + b"{}," * 20_000_000 + b"{}]}"
    with serving() as service:
        service.faults.append(Fault(sends=answer(status, body)))
        done = subprocess.run(
            [sys.executable, "-c", _ASKING, service.url], capture_output=True, text=True, check=False
        )
    assert done.stdout.startswith(said), done.stderr[-500:]


@pytest.mark.parametrize("value", ["{}", "[]", "1", '""', '"a\\\\"', '{"a": 1}'])
def test_values_are_counted(value: str) -> None:
    assert is_overfull(f"[{','.join([value] * (MOST_VALUES + 1))}]".encode())
    assert not is_overfull(f"[{','.join([value] * (MOST_VALUES // 4))}]".encode())


def test_what_stands_in_strings_is_not_counted() -> None:
    text = 'a, [b], {"c\\\\": "d"}, ' * 200_000
    assert not is_overfull(json.dumps({"content": {"raw": text, "rendered": text}}).encode())
