"""The tables of a site's database, as steps from each version to the next.

People keep a site's database when they install a later pressync. A new database takes all steps, and a
database of an earlier version takes those that it lacks.
"""

from __future__ import annotations

# AUTOINCREMENT: an id is never used twice, even after its record is removed.
# Navigation reads only `ordered`, also with thousands of siblings. `dated` is for the list of posts.
_FIRST = """
CREATE TABLE settings (
    title TEXT NOT NULL, address TEXT NOT NULL, offset INTEGER NOT NULL
);
CREATE TABLE records (
    id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, guid TEXT NOT NULL,
    date INTEGER NOT NULL, modified INTEGER NOT NULL,
    slug TEXT NOT NULL, status TEXT NOT NULL, password TEXT NOT NULL, parent INTEGER NOT NULL,
    title TEXT NOT NULL, content TEXT NOT NULL, author INTEGER NOT NULL, excerpt TEXT NOT NULL,
    featured_media INTEGER NOT NULL, comment_status TEXT NOT NULL, ping_status TEXT NOT NULL,
    menu_order INTEGER NOT NULL, footnotes TEXT NOT NULL, template TEXT NOT NULL, format TEXT NOT NULL,
    sticky INTEGER NOT NULL, categories TEXT NOT NULL, tags TEXT NOT NULL
);
CREATE UNIQUE INDEX addressed ON records (kind, parent, slug);
CREATE INDEX ordered ON records (kind, parent, menu_order, title COLLATE NOCASE, id,
    status, date, slug, modified);
CREATE INDEX dated ON records (kind, date DESC, id DESC, status);
PRAGMA user_version = 1;
"""

# Drafts of WordPress may share a slug, so the index that resolves addresses is not unique; each write checks
# the slugs in its own transaction. `floating`: the date follows the saves of a draft. `desired`: the slug
# that a record had before it went to the trash. Media take their ids from the sequence of the records.
_SECOND = """
DROP INDEX addressed;
CREATE INDEX addressed ON records (kind, parent, slug);
CREATE INDEX named ON records (slug);
ALTER TABLE records ADD COLUMN floating INTEGER NOT NULL DEFAULT 0;
ALTER TABLE records ADD COLUMN desired TEXT NOT NULL DEFAULT '';
CREATE TABLE terms (
    id INTEGER PRIMARY KEY AUTOINCREMENT, taxonomy TEXT NOT NULL, name TEXT NOT NULL, slug TEXT NOT NULL,
    parent INTEGER NOT NULL, description TEXT NOT NULL
);
CREATE UNIQUE INDEX term_slugs ON terms (taxonomy, slug);
INSERT INTO terms VALUES (1, 'category', 'Uncategorized', 'uncategorized', 0, '');
CREATE TABLE users (
    id INTEGER PRIMARY KEY AUTOINCREMENT, login TEXT NOT NULL UNIQUE COLLATE NOCASE,
    email TEXT NOT NULL UNIQUE COLLATE NOCASE, name TEXT NOT NULL, slug TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL
);
INSERT INTO users VALUES (1, 'admin', 'admin@localhost', 'admin', 'admin', 'administrator');
CREATE TABLE media (
    id INTEGER PRIMARY KEY, slug TEXT NOT NULL UNIQUE, title TEXT NOT NULL, alt_text TEXT NOT NULL,
    file TEXT NOT NULL UNIQUE, mime_type TEXT NOT NULL, date INTEGER NOT NULL, modified INTEGER NOT NULL,
    author INTEGER NOT NULL
);
PRAGMA user_version = 2;
"""

# The structure of the addresses of posts, as WordPress writes it.
_THIRD = """
ALTER TABLE settings ADD COLUMN permalinks TEXT NOT NULL DEFAULT '/blog/%postname%/';
PRAGMA user_version = 3;
"""

# The stored texts contain links that begin with the addresses that the site had.
_FOURTH = """
CREATE TABLE former_addresses (address TEXT PRIMARY KEY);
PRAGMA user_version = 4;
"""

_FIFTH = """
ALTER TABLE settings ADD COLUMN front INTEGER NOT NULL DEFAULT -1;
PRAGMA user_version = 5;
"""

# A rehearsal has the users whom the site shows, without all their records.
_SIXTH = """
ALTER TABLE users ADD COLUMN visible INTEGER NOT NULL DEFAULT 0;
PRAGMA user_version = 6;
"""

STEPS = (_FIRST, _SECOND, _THIRD, _FOURTH, _FIFTH, _SIXTH)
