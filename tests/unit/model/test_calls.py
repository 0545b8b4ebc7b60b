"""The calls: each class has what its call needs and cannot have more."""

from __future__ import annotations

import dataclasses
from typing import get_args

import pytest

from pressync.model.calls import Call, CreateCall, DeleteCall
from pressync.model.interface import Kind


@pytest.mark.parametrize("call", get_args(Call), ids=lambda call: call.__name__)
def test_a_call_is_frozen_and_small(call: type) -> None:
    assert call.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert "__slots__" in vars(call)


def test_a_create_has_no_id_and_a_delete_cannot_lack_one() -> None:
    assert "id" not in {field.name for field in dataclasses.fields(CreateCall)}
    with pytest.raises(TypeError):
        DeleteCall(Kind.PAGE)  # type: ignore[call-arg]


def test_a_delete_can_be_undone_unless_somebody_asked_for_more() -> None:
    assert not DeleteCall(Kind.PAGE, 7).permanent
