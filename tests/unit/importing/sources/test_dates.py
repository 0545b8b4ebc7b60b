"""Each tool reads dates in its own way. The rows are the answers of the tools, with New York as their zone.

Jekyll 4.3.1, Hugo 0.168 and Node 18 gave them. "" is a date that the tool does not read: the build ends, or
the page has no date.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest

from pressync.content.front_matter.value import read_yaml
from pressync.importing.sources import dates
from pressync.importing.sources.jekyll_pages import POSTS, JekyllPage
from pressync.importing.sources.source_tree import Front

if TYPE_CHECKING:
    from collections.abc import Callable

ZONE = "America/New_York"


def shown(moment: dates.Moment | None) -> str:
    return f"{dates.clock(moment, ZONE):%Y-%m-%d %H:%M}" if moment else ""


@pytest.mark.parametrize(
    ("written", "clock"),
    [
        ("2015-01-15", "2015-01-15 00:00"),
        ("2015-01-15 23:30:00", "2015-01-15 18:30"),
        ("2015-01-15 23:30", "2015-01-15 23:30"),
        ("2015-01-15T23:30:00Z", "2015-01-15 18:30"),
        ("2015-01-15 23:30:00 -0500", "2015-01-15 23:30"),
        ("2015-01-15T23:30:00", "2015-01-15 18:30"),
        ("2015-1-5 3:04", "2015-01-05 03:04"),
        ("2015-1-5 3:04:05", "2015-01-04 22:04"),
        ("2015-01-15 23:30:00 EST", "2015-01-15 23:30"),
        ("2015-01-15 23:30:00 XYZ", "2015-01-15 23:30"),
        ("2015-01-15 23:30 PM", "2015-01-15 23:30"),
        ("2015/01/15 23:30", "2015-01-15 23:30"),
        ("01/15/2015", ""),
        ("15/01/2015", "2015-01-15 00:00"),
        ("15 January 2015", "2015-01-15 00:00"),
        ("January 15, 2015", "2015-01-15 00:00"),
        ("Jan 15 2015 11:30 PM", "2015-01-15 23:30"),
        ("Thu, 15 Jan 2015 23:30:00 +0000", "2015-01-15 18:30"),
        ('"2015-01-15 23:30:00"', "2015-01-15 23:30"),
        ("20150115", "2015-01-15 00:00"),
        ("2015-01", ""),
        ("2015", ""),
        ("tomorrow", ""),
        ("2015-02-30", "2015-03-02 00:00"),
        ("2015-13-01", ""),
        ("1421364600", ""),
        ("2015-01-15 23:30:00.123 +0530", "2015-01-15 13:00"),
        ("2015.01.15", "2015-01-15 00:00"),
    ],
)
def test_jekyll_reads_a_date_as_ruby_does(written: str, clock: str) -> None:
    values = {"date": read_yaml(f"date: {written}").plain()["date"]}  # type: ignore[index]
    page = JekyllPage("_posts/2011-02-03-t.md", POSTS, "2011-02-03-t.md", Front(), values)
    assert shown(page.date()) == (clock or "2011-02-03 00:00"), (
        "the file's name counts for an unreadable date"
    )


def _hugo(text: str) -> str:
    moment = dates.go(text)
    return dates.placed(moment, ZONE) if moment else ""


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("2015-01-15", "2015-01-15"),
        ("2015-01-15 23:30:00", "2015-01-15T23:30:00-05:00"),
        ("2015-01-15 23:30", ""),
        ("2015-01-15T23:30:00Z", "2015-01-15T23:30:00+00:00"),
        ("2015-01-15 23:30:00 -0500", "2015-01-15T23:30:00-05:00"),
        ("2015-01-15T23:30:00+0100", "2015-01-15T23:30:00+01:00"),
        ("2015-01-15T23:30", ""),
        ("2015-1-5", ""),
        ("2015-01-15 23:30:00 EST", ""),
        ("2015-01-15 23:30:00 UTC", ""),
        ("2015/01/15", ""),
        ("15 January 2015", ""),
        ("15 Jan 2015", "2015-01-15"),
        ("Jan 15, 2015", ""),
        ("Thu, 15 Jan 2015 23:30:00 +0000", "2015-01-15T23:30:00+00:00"),
        ("Thu Jan 15 23:30:00 2015", "2015-01-15T23:30:00-05:00"),
        ("2015-01", ""),
        ("tomorrow", ""),
        ("2015-02-30", ""),
        ("1421364600", "2015-01-15T23:30:00+00:00"),
    ],
)
def test_hugo_reads_the_dates_of_its_list(written: str, moment: str) -> None:
    assert _hugo(written) == moment


@pytest.mark.parametrize(
    ("written", "clock"),
    [
        ("2015-01-15 23:30", "2015-01-15 23:30"),
        ("2015-01-15T23:30:00Z", "2015-01-15 18:30"),
        ("2015-01-15 23:30:00 -0500", "2015-01-15 23:30"),
        ("2015-1-5 3:04", "2015-01-05 03:04"),
        ("2013/7/13 20:46:25", "2013-07-13 20:46"),
        ("01/15/2015", "2015-01-15 00:00"),
        ("15/01/2015", ""),
        ("15 January 2015", "2015-01-15 00:00"),
        ("January 15, 2015", "2015-01-15 00:00"),
        ("Jan 15 2015 11:30 PM", "2015-01-15 23:30"),
        ("2015-01-15 23:30 PM", ""),
        ("2015.01.15", "2015-01-15 00:00"),
        ("20150115", "1970-01-01 00:35"),
        ("2015-01", "2015-01-01 00:00"),
        ("January 2015", "2015-01-01 00:00"),
        ("tomorrow", ""),
        ("2015-02-30 10:00", "2015-03-02 10:00"),
        ("2015-01-15 23:30:00 EST", "2015-01-15 23:30"),
        ("2015-01-15 23:30:00 CET", ""),
        ("2015-01-15 24:00", "2015-01-16 00:00"),
        ("2015-01-15T23:30+0100", "2015-01-15 17:30"),
        ("Jan 15th, 2015", ""),
        ("2015-13-01", ""),
        ("2015-01-15 23:30:00 GMT+0800", "2015-01-15 10:30"),
    ],
)
def test_the_tools_in_javascript_read_a_date_as_it_does(written: str, clock: str) -> None:
    assert shown(dates.javascript(written)) == clock


@pytest.mark.parametrize(
    ("read", "written", "moment"),
    [
        # Hexo takes the time that YAML has in UTC for that of its own place, and a text as it is.
        (dates.hexo, "2015-01-15T23:30:00Z", "2015-01-15T23:30:00"),
        (dates.hexo, "2015-01-15T23:30:00-05:00", "2015-01-16T04:30:00"),
        (dates.hexo, "2015-01-15 23:30:00 -0500", "2015-01-16T04:30:00+00:00"),
        (dates.hexo, "1421364600", "1970-01-17T10:49:24+00:00"),
        # Docusaurus writes UTC behind each text that YAML does not take for a date.
        (dates.docusaurus, "2015-01-15T23:30:00Z", "2015-01-15T23:30:00+00:00"),
        (dates.docusaurus, "2015-01-15 23:30:00 -0500", "2015-01-15T23:30:00"),
        (dates.docusaurus, "1421364600", ""),
        (dates.javascript, "1421364600", "1970-01-17T10:49:24+00:00"),
    ],
)
def test_the_reader_of_yaml_stands_before_a_tool_in_javascript(
    read: Callable[[str], dates.Moment | None], written: str, moment: str
) -> None:
    assert dates.text_of(read, written) == moment


@pytest.mark.parametrize("read", [dates.ruby, dates.go, dates.javascript])
@pytest.mark.parametrize("text", ["", "0000-00-00", "9999-12-31 24:00 +0000", "2015-01-15 99:99", "9" * 5000])
def test_no_text_stops_a_reader(read: Callable[[str], dates.Moment | None], text: str) -> None:
    assert shown(read(text)) == "" or isinstance(read(text), dt.date)
