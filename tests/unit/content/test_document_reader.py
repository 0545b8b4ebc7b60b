"""One reader reads each file with the same settings, authors and tables."""

from __future__ import annotations

from pressync.config import settings as config
from pressync.content.document_reader import DocumentReader
from pressync.content.import_tables import NO_TABLES
from pressync.model.records import Source

SETTINGS = """
[authors]
"Jane Doe" = "jane"

[sites.main]
url = "https://Site.test/wp-json"
dialect = "wordpress"

[sites.main.defaults]
status = "draft"
"""


def test_a_file_is_read_with_the_defaults_and_authors_of_the_settings() -> None:
    settings = config.load(SETTINGS, where="pressync.toml", environ={})
    text = b"---\nauthor: Jane Doe\naliases: [https://site.test/old/, https://other.test/x/]\n---\nText\n"
    read = DocumentReader(settings, NO_TABLES).read(Source("content/pages/a.md", "b" * 40), text).document
    assert read
    assert read.fields["status"] == "draft"
    assert [mention.given for mention in read.mentions] == [("jane",)]
    assert "/old/" in read.aliases
