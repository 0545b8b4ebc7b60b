"""The options of one `pressync preview`."""

from __future__ import annotations

from pressync.cli.commands import preview
from pressync.cli.preview_options import PreviewCommandOptions


def test_each_option_is_a_field_of_its_name() -> None:
    assert {parameter.name for parameter in preview.command.params} == set(PreviewCommandOptions._fields)
