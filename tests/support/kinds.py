"""The kinds of a site with types of its own, for one test."""

from __future__ import annotations

from typing import Any

from pressync.model.site_schema import SiteSchema, SiteTaxonomy, SiteType, encode, site_types

META: dict[str, dict[str, Any]] = {
    "isbn": {"type": "string", "default": ""},
    "price": {"type": "number", "default": 0, "minimum": 0},
    "copies": {"type": "integer", "default": 0},
    "in_print": {"type": "boolean", "default": False},
    "keywords": {"type": "array", "items": {"type": "string"}},
    "binding": {"type": "string", "default": "paper", "enum": ["paper", "cloth", "leather"]},
    "size": {
        "type": "object",
        "properties": {"width": {"type": "integer", "minimum": 1}, "height": {"type": "integer"}},
        "additionalProperties": False,
    },
    "reviews": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
    "published_on": {"type": "string", "format": "date-time"},
    "shop": {"type": "string", "format": "uri"},
    "_yoast_wpseo_title": {"type": "string", "default": ""},
}
ACF: dict[str, dict[str, Any]] = {
    "subtitle": {"type": ["string", "null"]},
    "pages": {"type": ["integer", "null"], "minimum": 1},
    "cover": {"type": ["integer", "null"], "title": "Cover", "description": "An image."},
}
_FIELDS = ("title", "content", "slug", "status", "date", "date_gmt", "author", "excerpt")
SCHEMA = SiteSchema(
    types={
        "book": SiteType(
            route="/wp/v2/books",
            right="edit_posts",
            batch=True,
            fields=_FIELDS,
            taxonomies=("genre", "mood"),
            meta=META,
            acf=ACF,
        ),
        "chapter": SiteType(
            route="/wp/v2/chapters",
            right="edit_pages",
            hierarchical=True,
            batch=True,
            fields=(*_FIELDS, "parent", "menu_order"),
        ),
        "place": SiteType(route="/atlas/v1/places", right="edit_posts", fields=_FIELDS),
        "page": SiteType(route="/wp/v2/pages", right="edit_pages", hierarchical=True, batch=True),
        "post": SiteType(
            route="/wp/v2/posts", right="edit_posts", batch=True, taxonomies=("category", "post_tag", "mood")
        ),
    },
    taxonomies={
        "genre": SiteTaxonomy(route="/wp/v2/genres", field="genres", hierarchical=True),
        "mood": SiteTaxonomy(route="/wp/v2/mood", field="mood"),
        "category": SiteTaxonomy(route="/wp/v2/categories", field="categories", hierarchical=True),
        "post_tag": SiteTaxonomy(route="/wp/v2/tags", field="tags"),
    },
)
TYPES = site_types(SCHEMA, {}, where="schema.json")
BOOK = TYPES.kind("book")
SCHEMA_TEXT = encode(SCHEMA)
