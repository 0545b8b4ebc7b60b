BEGIN TRANSACTION;
CREATE TABLE former_addresses (address TEXT PRIMARY KEY);
CREATE TABLE media (
    id INTEGER PRIMARY KEY, slug TEXT NOT NULL UNIQUE, title TEXT NOT NULL, alt_text TEXT NOT NULL,
    file TEXT NOT NULL UNIQUE, mime_type TEXT NOT NULL, date INTEGER NOT NULL, modified INTEGER NOT NULL,
    author INTEGER NOT NULL
);
INSERT INTO "media" VALUES(2,'dot-17b2122cbbbe2d9c','dot','','2026/11/dot.png','image/png',1795412679,1795412679,1);
CREATE TABLE records (
    id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, guid TEXT NOT NULL,
    date INTEGER NOT NULL, modified INTEGER NOT NULL,
    slug TEXT NOT NULL, status TEXT NOT NULL, password TEXT NOT NULL, parent INTEGER NOT NULL,
    title TEXT NOT NULL, content TEXT NOT NULL, author INTEGER NOT NULL, excerpt TEXT NOT NULL,
    featured_media INTEGER NOT NULL, comment_status TEXT NOT NULL, ping_status TEXT NOT NULL,
    menu_order INTEGER NOT NULL, footnotes TEXT NOT NULL, template TEXT NOT NULL, format TEXT NOT NULL,
    sticky INTEGER NOT NULL, categories TEXT NOT NULL, tags TEXT NOT NULL
, floating INTEGER NOT NULL DEFAULT 0, desired TEXT NOT NULL DEFAULT '');
INSERT INTO "records" VALUES(1,'page','http://127.0.0.1:18128/?page_id=1',1795412679,1795412680,'jobs__trashed','trash','',0,'Jobs','<!-- wp:html -->
<p>We look for a cook.</p>
<!-- /wp:html -->',1,'',0,'closed','closed',0,'','','standard',0,'[]','[]',0,'jobs');
INSERT INTO "records" VALUES(3,'page','http://127.0.0.1:18128/?page_id=3',1795412679,1795412680,'about','publish','',0,'About us','<!-- wp:html -->
<p>Who we are, and <a href="http://127.0.0.1:18128/team/">the team</a>.</p>
<!-- /wp:html -->',1,'',0,'closed','closed',0,'','','standard',0,'[]','[]',0,'');
INSERT INTO "records" VALUES(4,'page','http://127.0.0.1:18128/?page_id=4',1795412679,1795412679,'team','publish','',0,'Team','<!-- wp:html -->
<p>All of us.</p>
<!-- /wp:html -->',1,'',0,'closed','closed',0,'','','standard',0,'[]','[]',0,'');
INSERT INTO "records" VALUES(5,'post','http://127.0.0.1:18128/?p=5',1706659200,1706659200,'hello','publish','',0,'Hello','<!-- wp:html -->
<p>A post with <img src="http://127.0.0.1:18128/wp-content/uploads/2026/11/dot.png" alt="a dot" />.</p>
<!-- /wp:html -->',1,'',0,'open','open',0,'','','standard',0,'[3]','[4]',0,'');
INSERT INTO "records" VALUES(6,'page','http://127.0.0.1:18128/?page_id=6',1795412679,1795412679,'anna','publish','',4,'Anna','<!-- wp:html -->
<p>She writes.</p>
<!-- /wp:html -->',1,'',0,'closed','closed',0,'','','standard',0,'[]','[]',0,'');
INSERT INTO "records" VALUES(7,'post','http://127.0.0.1:18128/?p=7',1706745600,1706745600,'late','publish','',0,'Late news','<!-- wp:html -->
<p>Nobody heard the response.</p>
<!-- /wp:html -->',1,'',0,'open','open',0,'','','standard',0,'[1]','[]',0,'');
CREATE TABLE settings (
    title TEXT NOT NULL, address TEXT NOT NULL, offset INTEGER NOT NULL
, permalinks TEXT NOT NULL DEFAULT '/blog/%postname%/', front INTEGER NOT NULL DEFAULT -1);
INSERT INTO "settings" VALUES('Earlier','http://127.0.0.1:18128',0,'/blog/%postname%/',-1);
CREATE TABLE terms (
    id INTEGER PRIMARY KEY AUTOINCREMENT, taxonomy TEXT NOT NULL, name TEXT NOT NULL, slug TEXT NOT NULL,
    parent INTEGER NOT NULL, description TEXT NOT NULL
);
INSERT INTO "terms" VALUES(1,'category','Uncategorized','uncategorized',0,'');
INSERT INTO "terms" VALUES(2,'category','News','news',0,'');
INSERT INTO "terms" VALUES(3,'category','Local','local',2,'');
INSERT INTO "terms" VALUES(4,'post_tag','first','first',0,'');
CREATE TABLE users (
    id INTEGER PRIMARY KEY AUTOINCREMENT, login TEXT NOT NULL UNIQUE COLLATE NOCASE,
    email TEXT NOT NULL UNIQUE COLLATE NOCASE, name TEXT NOT NULL, slug TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL
, visible INTEGER NOT NULL DEFAULT 0);
INSERT INTO "users" VALUES(1,'admin','admin@localhost','admin','admin','administrator',0);
CREATE INDEX ordered ON records (kind, parent, menu_order, title COLLATE NOCASE, id,
    status, date, slug, modified);
CREATE INDEX dated ON records (kind, date DESC, id DESC, status);
CREATE INDEX addressed ON records (kind, parent, slug);
CREATE INDEX named ON records (slug);
CREATE UNIQUE INDEX term_slugs ON terms (taxonomy, slug);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('terms',4);
INSERT INTO "sqlite_sequence" VALUES('users',1);
INSERT INTO "sqlite_sequence" VALUES('records',7);
COMMIT;
PRAGMA user_version = 6;
