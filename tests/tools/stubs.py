"""What real trees need to be built without their themes and plug-ins, and which pages may differ then.

A stub shows what a reader of the old site saw, as far as the tree says it. Else it shows nothing: the page
differs where the import keeps the tag as it is typed, and its account names that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.tools.builders import HUGO, JEKYLL

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Stubs:
    """The tool of a tree, and the files that are added or replaced. `words` build it.

    `accepted` are the differences that may remain, as patterns of `ADDRESS KIND: OLD -> NEW`, each with its
    reason. For `open` others nobody has found the reason yet, and their number only falls.
    """

    tool: str
    files: Mapping[str, str] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    accepted: Mapping[str, str] = field(default_factory=dict)
    open: int = 0


# Jekyll finds no theme, so each layout that front matter names is ours.
def _layouts(*names: str, folder: str = "_layouts") -> dict[str, str]:
    return {f"{folder}/{name}.html": JEKYLL for name in names}


# Debian has neither the plug-in for figures nor the one that keeps includes.
_FIGURE = r"""
class Figure < Liquid::Block
  def initialize(tag, markup, options)
    super
    @caption = markup[/caption:\s*(["'])((?:\\.|(?!\1).)*)\1/, 2]
  end
  def line(context, text)
    converter = context.registers[:site].find_converter_instance(Jekyll::Converters::Markdown)
    converter.convert(text.gsub('\\"', '"')).gsub(/<\/?p[^>]*>/, '').strip
  end
  def render(context)
    said = @caption ? "<figcaption>#{line(context, @caption)}</figcaption>" : ''
    "<figure>#{line(context, super)}#{said}</figure>"
  end
end
Liquid::Template.register_tag('figure', Figure)
Liquid::Template.register_tag('include_cached', Jekyll::Tags::IncludeTag)
"""
# The theme of Hugo's own site shows alerts, as GitHub does.
_ALERTS = """\
{{ if eq .Type "alert" }}<blockquote><p>{{ title .AlertType }}</p>{{ .Text }}</blockquote>
{{ else }}<blockquote>{{ .Text }}</blockquote>{{ end }}
"""
# Docsy, the theme of etcd, shows the title of an alert.
_DOCSY_ALERT = "{{ with .Get `title` }}\n{{ . }}\n{{ end }}\n{{ .Inner }}\n"
_DOCUSAURUS = """\
const off = {onInlineTags: 'ignore', onInlineAuthors: 'ignore', onUntruncatedBlogPosts: 'ignore'};
module.exports = {
  title: 'pnpm', url: 'https://pnpm.io', baseUrl: '/', onBrokenLinks: 'ignore', onBrokenAnchors: 'ignore',
  markdown: {hooks: {onBrokenMarkdownLinks: 'ignore', onBrokenMarkdownImages: 'ignore'}},
  presets: [['classic', {blog: off, docs: {routeBasePath: '/', sidebarPath: './sidebars.json'}}]],
};
"""

# Reasons that hold for every tree of a tool.
_OF_ALL = {
    r" links: file (json|xml)\b": "WordPress takes no file of JSON or XML",
    r" added:  -> ↩\d": "each place of a note has its way back",
}
_OF_HUGO = {
    r"\{\{ ?[<%]|%7b%7b%25": "a shortcode of the site's own, which the account names",
    r" added:  -> (\[!)?((?i:Note|Tip|Warning|Info|Important|Caution))": "an alert always has a title",
    **_OF_ALL,
}
_OF_JEKYLL = {
    **_OF_ALL,
    r"\{%|\{\{|%7b%7b%20|words: \d+ -> ": "a tag that only Jekyll fills in, and the account names it",
    r"\*\[\w+\]:": "an abbreviation has no form in Markdown, and the account names it",
}
_OF_MKDOCS = {
    **_OF_ALL,
    r" lost: -( -)* -> \Z": "Python-Markdown begins no list right below a text",
    r" code: .*\t|/reference/admonitions/ code: ": "Python-Markdown writes blanks for tabs and empty lines",
    r" links: (https?://\S+): .* -> none: |words: #\d+": "magiclink makes links of addresses and numbers",
    r" links: #\d+: .* -> #fn:": "a link to a note by the name that Python-Markdown gives it",
    r" added:  -> (Note|Tip|Warning|Info)\Z": "an alert always has a title",
    r"\*\[\w+\]: ": "an abbreviation has no form in Markdown, and the account names it",
    r" headings: .* -> none: .*on a single page": "an icon that means yes is a character in the heading",
    r"/blog/ lost: (1 2|Continue reading|\[picture: .*\]) -> ": "the theme of a list of posts",
    r"/blog/(archive|category|page)/.* no_address:": "WordPress has its lists of posts at other addresses",
    r" links: https://github\.com/.* -> none: ": "magiclink makes links of numbers and names",
    r" order: ": "Material shows the labels of all tabs in one row, and the notes at another place",
    r" added:  -> [✓✗]": "an icon that means yes or no is a character",
}

STUBS: Mapping[str, Stubs] = {
    "opensource-guide": Stubs(
        "jekyll",
        # The plug-ins make tags for search engines, a site map, and pages that redirect.
        {"_ours.yml": "plugins: []\n", **_layouts("article", "article-alt", "default", "index")},
        accepted={
            r" lost: (</\w+>|<p markdown)": "a tag without its partner, which kramdown shows as typed",
            r"/ms/how-to-contribute/ words: _?me\w+ -> ": "emphasis that begins twice and ends once",
            r"/sa/building-community/ code: ": "kramdown shows the attribute of HTML in code, and it is gone",
        },
    ),
    "made-mistakes": Stubs(
        "jekyll",
        {
            "_ours.yml": "source: src\ndestination: _site\nplugins: []\nstrict_front_matter: false\n",
            **_layouts("post", "page", "work", "default", "home", folder="src/_layouts"),
            "src/_plugins/ours.rb": _FIGURE,
        },
        accepted={
            **_OF_JEKYLL,
            r" words: :\w+:.* -> ": "the plug-in for emoji is off in the build",
            r"<noscript>|/admin/ no_address|/(articles|mastering-paper)/ lost: (A c|C)oll": "of the theme",
            r"/(notes|work)/ lost: (Small|A sel)": "of the theme",
            r"/(faqs|tag|work)/ lost: |/(sitemap|style-guide)/ (words|code|pictures): ": "a list by Liquid",
            r"/work/jekyll-themes/ lost: ": "a file that Liquid includes with a program in it",
            r" words: (\w+\[\^|\w+\d\)? -> \w+\d)": "a plug-in shows the mark of a note as it is typed",
            r"/(basics|pogo-\S+)/ added:  -> (Adding|To force)": "the text of such a note",
            r" words: \[.*\]\[": "a plug-in reads a part alone, and the link has its address elsewhere",
            r" words: « -> <<": "two signs that kramdown makes a quotation mark of",
            r" words: .*:cherries:": "the plug-in for emoji is off in the build",
            r" words: <ul><li>": "a list in a cell, which kramdown shows as it is typed",
        },
    ),
    "mkdocs-material": Stubs(
        "mkdocs",
        # The hooks of the site, and the templates of its home page, are not in the tree.
        {
            "ours.yml": "INHERIT: mkdocs.yml\ntheme:\n  custom_dir: ours\nhooks: []\nplugins: [blog]\n",
            **{f"ours/{name}.html": '{% extends "main.html" %}\n' for name in ("home", "redirect", "custom")},
        },
        ("mkdocs", "build", "-q", "-f", "ours.yml"),
        accepted={
            **_OF_MKDOCS,
            r"/reference/math/ words: ": "formulas stay as they are typed, and the account names them",
            r"/plugins/tags/ words: ": "a link to a definition that is not there",
            r"/ensuring-data-privacy/ links: ": "a link to a block of code that is not open",
        },
    ),
    "hugo-docs": Stubs(
        "hugo",
        {"layouts/_default/_markup/render-blockquote.html": _ALERTS},
        # Most pages differ by the shortcodes of the theme, which the account names.
        accepted={
            **_OF_HUGO,
            r"/(diagrams|goat)/ code:  -> ": "Hugo draws what a fence of `goat` has",
            r"/syntax-highlighting/ code: 1package": "the numbers of lines are in the text of the old page",
            r" code: .* -> ": "the shortcode shows its text as code in three formats",
            r"/shortcodes/(instagram|x)/ ": "WordPress shows the message of this address",
            r"/qr/ pictures: ": "Hugo draws the picture of `qr`, and the account names the shortcode",
            r"/categories/ no_address: ": "the page of a taxonomy that no page uses",
            r"\$|/(qr|mathematics)/ words: .*\\": "a formula, which the account names",
        },
    ),
    "etcd-website": Stubs(
        "hugo",
        {
            "node_modules/docsy/theme.toml": "",
            "layouts/404.html": HUGO,
            "layouts/index.redirects": "",
            "layouts/community/list.html": HUGO,
            "layouts/_default/metrics-entry.html": HUGO,
            "layouts/partials/page-meta-links.html": "",
            "layouts/shortcodes/alert.html": _DOCSY_ALERT,
        },
        accepted={
            **_OF_HUGO,
            r"/etcd-freebsd/ links: ": "the old link ended at a sign without width",
            r"/community/ lost: (Welcome to|Contents)": "shortcodes of the theme",
            r"/metrics/ added:  -> :": "a definition whose term a shortcode makes",
            r' words: -rwx-+" -> ': "three hyphens, which the old site made a dash",
            r" words: states \. -> ": "a note stands in the sentence",
        },
    ),
    "letsencrypt": Stubs(
        "hugo",
        # The settings name folders of the theme, which Hugo wants to find.
        dict.fromkeys(("themes/le-2025/theme.toml", "themes/le-2025/assets/x", "src/x"), "")
        | {"hugo_stats.json": "{}"},
        accepted={
            **_OF_HUGO,
            r"/[a-z-]{2,5}/ no_address: ": "the home page of a language without texts",
            r"/de/ title: ": "the home page of a language without a text has the name of its folder",
            r" words: \[": "a stub does not read the Markdown in a shortcode",
            r" links: #": "a note that another page repeats",
            r"/docs/caa/ links: https://www": "Hugo makes a link of a name that begins with www",
        },
    ),
    "pnpm-docs": Stubs(
        "docusaurus",
        # Its settings are a program that needs more than the tree has, and a component is not in it.
        {
            "package.json": '{"name": "x"}',
            "src/components/SettingsAnchorRedirect.js": "export default () => null;\n",
            "ours.config.js": _DOCUSAURUS,
        },
        ("docusaurus", "build", "--config", "ours.config.js"),
        accepted={
            r"/blog/(archive|authors|tags)/.*no_address:": "WordPress has its lists at other addresses",
            r"/settings/versioning/ added:  -> {}": "an expression in MDX, which the account names",
            r"/continuous-integration/ added:  -> Jenkinsfile": "the line above it says the same",
        },
    ),
}
# The shortcodes that Hugo itself has.
_OWN = frozenset(
    (
        *("comment", "details", "figure", "gist", "highlight", "instagram", "param", "qr", "ref", "relref"),
        *("tweet", "vimeo", "x", "youtube"),
    )
)
_SHORTCODE = re.compile(r"\{\{([<%])\s*(/?)\s*(\w[\w/.-]*)")


def shortcodes(site: Path) -> dict[str, str]:
    """Give a stub for each shortcode of a theme that is not there: it shows its inner text, or nothing."""
    files = [file for file in (site / "content").rglob("*.*") if file.suffix in {".md", ".html"}]
    used = {found for file in files for found in _SHORTCODE.findall(file.read_text())}
    closed = {name: mark for mark, end, name in used if end}
    names = {name for _, _, name in used} - _OWN
    # The theme of Hugo's own site shows a text in `code-toggle` as code.
    code = '<pre>{{ trim .Inner "\\n" | htmlEscape | safeHTML }}</pre>'
    # Hugo reads the Markdown of a text between `%` by itself.
    inner = {"%": "{{ .Inner }}", "<": '{{ .Page.RenderString (dict "display" "block") .Inner }}'}
    shown = {name: code if "code" in name else inner[mark] for name, mark in closed.items()}
    stubs = {
        f"layouts/shortcodes/{name}.html": shown.get(name, "{{/* nothing */}}") for name in sorted(names)
    }
    return {path: text for path, text in stubs.items() if not (site / path).exists()}
