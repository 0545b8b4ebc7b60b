"""Shortcodes are found by their tags, wherever they are."""

from __future__ import annotations

import pytest

from pressync.importers.hugo.shortcodes import Tag, replaced


def shown(tag: Tag, inner: str | None) -> str | None:
    """Show a tag and its content; leave those called `own`."""
    if tag.name == "own":
        return None
    given = ",".join((*tag.given, *(f"{key}={value}" for key, value in tag.named.items())))
    return f"({tag.name} {given}{'' if inner is None else f': {inner}'})"


@pytest.mark.parametrize(
    ("written", "made"),
    [
        ("a {{< b >}} c", "a (b ) c"),
        ("{{% b 1 two %}}", "(b 1,two)"),
        ('{{<b x="a \\"q\\"" y=`raw "s"` z=3>}}', '(b x=a "q",y=raw "s",z=3)'),
        ("{{< b >}}in{{< /b >}}", "(b : in)"),
        ("{{< b >}}{{% c %}}x{{% /c %}}{{</b>}}", "(b : (c : x))"),
        ("{{< b >}}1{{< b />}}2{{< /b >}}", "(b : 1(b )2)"),
        ("{{< b >}} and {{< c >}}x{{< /c >}}", "(b ) and (c : x)"),
        ("{{< b >}}{{< c >}}{{< /b >}}", "(b : (c ))"),
        ("{{< /b >}}", "{{< /b >}}"),
        ("{{</* b x */>}} {{%/* c */%}}", "{{< b x >}} {{% c %}}"),
        ("{{< own 1 >}}{{< b >}}{{< /own >}}", "{{< own 1 >}}(b ){{< /own >}}"),
        ("{{< a/b.html\n  x=1\n>}}", "(a/b.html x=1)"),
        ('{{< b "unclosed >}}', '{{< b "unclosed >}}'),
        ("{{ .Title }} {{<", "{{ .Title }} {{<"),
        ("`{{< b >}}`", "`(b )`"),
    ],
)
def test_each_tag_is_replaced(written: str, made: str) -> None:
    assert replaced(written, 1, shown) == made


def test_a_tag_knows_its_line() -> None:
    lines = []

    def note(tag: Tag, _inner: str | None) -> None:
        lines.append((tag.name, tag.line))

    replaced('a\n{{< b\n x="1" >}}\n{{</* no */>}}\n\n{{< c >}}{{< d >}}', 10, note)
    assert sorted(lines) == [("b", 11), ("c", 15), ("d", 15)]


def test_a_replacement_of_several_lines_keeps_the_indentation_of_its_tag() -> None:
    assert replaced("- a\n\n  {{< b >}}\n", 1, lambda _tag, _inner: "x\ny") == "- a\n\n  x\n  y\n"


def test_thousands_of_open_tags_are_read_once() -> None:
    text = "{{< b >}}" * 5_000
    assert replaced(text, 1, lambda _tag, _inner: ".") == "." * 5_000


@pytest.mark.parametrize("text", ["{{< a ", '{{<a "', '{{<a "\\', "{{</* "])
def test_thousands_of_tags_that_never_end_are_text(text: str) -> None:
    # Read to the end for each tag, this takes minutes.
    assert replaced(text * 50_000, 1, shown) == text * 50_000


def test_arguments_are_given_by_name_or_position() -> None:
    tag = Tag("a", 1, "", "", ("x",), {})
    assert (tag.get("src", 0), tag.get("alt"), tag.get(1, default="none")) == ("x", "", "none")
    assert Tag("a", 1, "", "", (), {"src": "y"}).get("src", 0) == "y"
