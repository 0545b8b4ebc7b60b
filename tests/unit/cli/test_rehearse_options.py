"""The options of one `pressync rehearse`."""

from __future__ import annotations

from pressync.cli.commands import rehearse
from pressync.cli.rehearse_options import RehearseOptions


def test_each_option_is_a_field_of_its_name() -> None:
    assert {parameter.name for parameter in rehearse.command.params} == set(RehearseOptions._fields)
