"""Exports of WordPress as texts: the frame that WordPress 7.1 writes, with the records that a test names."""

from __future__ import annotations

from xml.sax.saxutils import escape

_FRAME = """\
<?xml version="1.0" encoding="UTF-8" ?>
<rss version="2.0"
	xmlns:excerpt="http://wordpress.org/export/1.2/excerpt/"
	xmlns:content="http://purl.org/rss/1.0/modules/content/"
	xmlns:dc="http://purl.org/dc/elements/1.1/"
	xmlns:wp="http://wordpress.org/export/1.2/"
>
<channel>
	<title>Blog</title>
	<link>https://blog.test</link>
	<wp:wxr_version>1.2</wp:wxr_version>
	<wp:base_site_url>https://blog.test</wp:base_site_url>
	<wp:base_blog_url>https://blog.test</wp:base_blog_url>
{inside}
</channel>
</rss>
"""


def cdata(text: str) -> str:
    """Write a text as WordPress does: a `]]>` in it begins another CDATA section."""
    return f"<![CDATA[{text.replace(']]>', ']]]]><![CDATA[>')}]]>"


def record(
    number: int, slug: str, content: str = "", *, more: str = "", excerpt: str = "", **fields: str
) -> str:
    """Write one record; `fields` are elements of the namespace `wp`, and `more` is XML inside of it."""
    values = {
        "post_id": str(number),
        "post_date": "2024-03-01 11:00:00",
        "post_date_gmt": "2024-03-01 10:00:00",
        "post_modified_gmt": "2024-03-02 10:00:00",
        "comment_status": "open",
        "ping_status": "open",
        "post_name": slug,
        "status": "publish",
        "post_parent": "0",
        "menu_order": "0",
        "post_type": "post",
        "post_password": "",
        "is_sticky": "0",
        **fields,
    }
    title = values.pop("title", slug.title())
    link = values.pop("link", f"https://blog.test/{slug}/")
    author = values.pop("creator", "anna")
    elements = "".join(f"<wp:{name}>{escape(value)}</wp:{name}>\n" for name, value in values.items())
    return (
        f"<item>\n<title>{cdata(title)}</title>\n<link>{escape(link)}</link>\n"
        f"<dc:creator>{cdata(author)}</dc:creator>\n<content:encoded>{cdata(content)}</content:encoded>\n"
        f"<excerpt:encoded>{cdata(excerpt)}</excerpt:encoded>\n{elements}{more}</item>\n"
    )


def meta(key: str, value: str) -> str:
    """Write a custom field of a record."""
    return (
        f"<wp:postmeta><wp:meta_key>{cdata(key)}</wp:meta_key>"
        f"<wp:meta_value>{cdata(value)}</wp:meta_value></wp:postmeta>\n"
    )


def export(*inside: str) -> str:
    """Write an export with these elements."""
    return _FRAME.format(inside="".join(inside))
