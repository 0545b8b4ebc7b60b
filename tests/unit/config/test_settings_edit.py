"""One setting of a site is written into a text that people wrote, and nothing else changes."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pressync.config.settings_edit import with_setting
from pressync.model.errors import ConfigError

URL = 'url = "https://example.org/wp-json"'
TWO = f"""\
content = "content"  # ours

[sites.stage]   # for tests
{URL}
manifest = "ref"

[sites.production]
# The real one.
{URL}
manifest = 'a.json'   # kept
branch = "main"

[sites.production.defaults]
status = "draft"
"""


def edited(text: str, site: str, value: str = "ref", key: str = "manifest") -> str:
    return with_setting(text, "pressync.toml", site, key, value)


def test_a_value_is_replaced_in_the_table_of_its_site() -> None:
    assert edited(TWO, "production") == TWO.replace("'a.json'", '"ref"')
    assert edited(TWO, "stage", "b.json") == TWO.replace('manifest = "ref"', 'manifest = "b.json"')


def test_a_missing_key_is_added_below_the_header() -> None:
    assert edited(f"[sites.a]  # A\n{URL}\n\n[sites.b]\n{URL}\n", "b") == (
        f'[sites.a]  # A\n{URL}\n\n[sites.b]\nmanifest = "ref"\n{URL}\n'
    )
    assert edited(f"[sites.a]\r\n{URL}\r\n", "a") == f'[sites.a]\r\nmanifest = "ref"\r\n{URL}\r\n'
    assert edited(f"[sites.a] # one\u2028line\n{URL}\n", "a") == (
        f'[sites.a] # one\u2028line\nmanifest = "ref"\n{URL}\n'
    )


def test_the_same_value_changes_nothing() -> None:
    assert edited(TWO, "stage") is TWO


def test_quoted_names_and_keys_are_found() -> None:
    text = f'[sites."my.site"]\n{URL}\n"manifest" = "x.json"\n'
    assert tomllib.loads(edited(text, "my.site"))["sites"]["my.site"]["manifest"] == "ref"
    assert edited(text, "my.site").count("manifest") == 1


@pytest.mark.parametrize(
    "text",
    [
        f"[sites]\na = {{{URL}}}\n",
        f"sites.a.{URL}\n",
        'content = "content"\n',
        f'[sites.a]\n{URL}\nmanifest = """x.json"""\n',
    ],
)
def test_what_cannot_be_edited_safely_is_left_to_a_person(text: str) -> None:
    with pytest.raises(ConfigError, match='write `manifest = "ref"` into it, and run this again'):
        edited(text, "a")


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=20))
def test_any_comment_and_any_value_survive(words: str) -> None:
    text = f'# {words}\n[sites.a] # {words}\n{URL} # {words}\nuser = "x" # {words}\n'
    after = edited(text, "a", words, key="user")
    assert tomllib.loads(after)["sites"]["a"] == {"url": "https://example.org/wp-json", "user": words}
    assert after.count(f"# {words}\n") == text.count(f"# {words}\n")
