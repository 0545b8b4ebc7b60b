"""Builds a site with its own tool and a layout of ours: title, date and content. `up` installs the tools.

No real site builds as it is, because themes and plug-ins are not in its folder. So each tool gets a layout
that says what the tool made of a file, and a second file of settings that names the layout.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping

# Read while the tests are collected: while they run, no PRESSYNC_ variable of anybody is there.
HOME = Path(os.environ.get("PRESSYNC_TEST_TOOLS", ""))
IS_ASKED = "PRESSYNC_TEST_TOOLS" in os.environ
# The zone of the settings that name one, and of the machine: Hexo asks that for its addresses.
ZONE = "America/New_York"

_PAGE = (
    '<!doctype html><html lang="{}"><head><title>{}</title>{}</head>'
    '<body><main title="{}" data-date="{}">{}</main></body></html>\n'
)
_DATED = '<meta property="article:published_time" content="{}">'
JEKYLL = _PAGE.format(
    "{{ page.lang | default: 'en' }}",
    "{{ page.title | escape }}",
    "{% if page.date %}" + _DATED.format("{{ page.date | date_to_xmlschema }}") + "{% endif %}",
    "{{ page.title | escape }}",
    "{{ page.date | date_to_xmlschema }}",
    "{{ content }}",
)
_HUGO_DATE = '{{ .Date.Format "2006-01-02T15:04:05Z07:00" }}'
HUGO = _PAGE.format(
    "{{ site.Language.Lang }}",
    "{{ .Title }}",
    "{{ if not .Date.IsZero }}" + _DATED.format(_HUGO_DATE) + "{{ end }}",
    "{{ .Title }}",
    _HUGO_DATE,
    "{{ .Content }}",
)
_HEXO_DATE = "<%= page.date && page.date.toISOString() %>"
_HEXO = _PAGE.format(
    "en",
    "<%= page.title %>",
    _DATED.format(_HEXO_DATE),
    "<%= page.title %>",
    _HEXO_DATE,
    "<%- page.content %>",
)
_ASTRO = """\
---
import { getCollection, render } from 'astro:content';
export async function getStaticPaths() {
  return (await getCollection('posts')).map((post) => ({ params: { slug: post.id }, props: post }));
}
const { Content } = await render(Astro.props);
const { title, date } = Astro.props.data;
---
<main title={title} data-date={date?.toISOString()}><Content /></main>
"""
_ASTRO_COLLECTION = """\
import { defineCollection, z } from 'astro:content';
import { glob } from 'astro/loaders';
const loader = glob({ pattern: '**/*.{md,mdx}', base: './src/content/posts' });
const schema = z.object({ title: z.string().optional(), date: z.coerce.date().optional() });
export const collections = { posts: defineCollection({ loader, schema }) };
"""
# The parts of a site that Docusaurus shows without a program: a build takes a minute, and this takes seconds.
_DOCUSAURUS = """\
const { loadSite } = require('@docusaurus/core/lib/server/site.js');
const fs = require('fs'), path = require('path');
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
loadSite({ siteDir: __dirname, config: 'ours.config.js' }).then(({ props }) => {
  const all = props.plugins.map((plugin) => plugin.content ?? {});
  const docs = all.flatMap((content) => (content.loadedVersions ?? []).flatMap((version) => version.docs));
  const posts = all.flatMap((content) => content.blogPosts ?? []).map((post) => post.metadata);
  for (const { permalink, title, date } of [...docs, ...posts]) {
    const file = path.join('build', decodeURI(permalink), 'index.html');
    fs.mkdirSync(path.dirname(file), { recursive: true });
    const day = date ? new Date(date).toISOString() : '';
    fs.writeFileSync(file, `<main title="${escaped(title)}" data-date="${day}"></main>`);
  }
  process.exit(0);
}, (error) => { console.error(error.message, error.cause?.message); process.exit(1); });
"""
_DOCUSAURUS_CONFIG = """\
const theirs = require('./docusaurus.config.js');
module.exports = { title: 'x', ...theirs, onBrokenLinks: 'ignore', onBrokenAnchors: 'ignore' };
"""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: the words that build a folder, the folder with the result, and the files of ours in it.

    `packages` is the folder with its packages of npm. `zone` is that of the dates that it shows.
    """

    words: tuple[str, ...]
    output: str
    ours: Mapping[str, str]
    packages: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    zone: str = ZONE

    @property
    def program(self) -> str | None:
        """The path of its program; None if nobody has installed it."""
        inside = HOME / self.packages / "node_modules/.bin" if self.packages else HOME / "python/bin"
        return shutil.which(self.words[0], path=f"{inside}{os.pathsep}{os.environ['PATH']}")


TOOLS: Mapping[str, Tool] = {
    "jekyll": Tool(
        ("jekyll", "build", "--quiet", "--disable-disk-cache", "--config", "_config.yml,_ours.yml"),
        "_site",
        {
            "_layouts/ours.html": JEKYLL,
            "_ours.yml": 'defaults: [{scope: {path: ""}, values: {layout: ours}}]\n',
        },
        variables={"JEKYLL_NO_BUNDLER_REQUIRE": "true"},
    ),
    "hugo": Tool(
        ("hugo", "--quiet"),
        "public",
        {f"layouts/_default/{name}.html": HUGO for name in ("single", "list", "home")},
        variables={"HUGO_ENABLEGITINFO": "false"},
    ),
    "mkdocs": Tool(("mkdocs", "build", "-q"), "site", {}),
    "hexo": Tool(
        ("hexo", "generate", "--silent", "--config", "_config.yml,_ours.yml"),
        "public",
        {
            "_ours.yml": "theme: ours\n",
            "package.json": '{"hexo": {"version": ""}, "dependencies": '
            '{"hexo": "*", "hexo-renderer-ejs": "*", "hexo-renderer-marked": "*"}}',
            **{f"themes/ours/layout/{name}.ejs": _HEXO for name in ("index", "page", "post")},
        },
        "hexo",
    ),
    "astro": Tool(
        # Astro keeps what it has read among the packages, which all sites share.
        ("astro", "build", "--silent", "--force"),
        "dist",
        {"src/pages/posts/[...slug].astro": _ASTRO, "src/content.config.ts": _ASTRO_COLLECTION},
        "astro",
        {"ASTRO_TELEMETRY_DISABLED": "1"},
        zone="UTC",
    ),
    "docusaurus": Tool(
        ("node", "ours.cjs"),
        "build",
        {"ours.cjs": _DOCUSAURUS, "ours.config.js": _DOCUSAURUS_CONFIG, "package.json": '{"name": "x"}'},
        "docusaurus",
        # It keeps what it has made among the packages, too.
        {"DOCUSAURUS_NO_PERSISTENT_CACHE": "1", "DOCUSAURUS_NO_TELEMETRY": "1", "NO_UPDATE_NOTIFIER": "1"},
        zone="UTC",
    ),
}


@dataclass(frozen=True, slots=True)
class Built:
    """The folder with what a tool made of a site, or why the build ended."""

    folder: Path
    ended: str = ""


def build(
    name: str, site: Path, target: Path, ours: Mapping[str, str] | None = None, words: tuple[str, ...] = ()
) -> Built:
    """Build a copy of a site; skip the test, with a word, if the tool is not installed.

    `ours` are files that it needs besides, and `words` build it where those of the tool do not.
    """
    tool = TOOLS[name]
    tool = replace(tool, ours={**tool.ours, **(ours or {})}, words=words or tool.words)
    packages = HOME / tool.packages / "node_modules"
    program = tool.program
    if program is None or (tool.packages and not packages.is_dir()):
        pytest.skip(f"{name} is not installed: tests/tools/up {name}")
    shutil.copytree(site, target)
    for path, text in tool.ours.items():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_text(text)
    if tool.packages:
        (target / "node_modules").symlink_to(packages)
    run = subprocess.run(
        [program, *tool.words[1:]],
        cwd=target,
        env={**os.environ, **tool.variables, "TZ": tool.zone},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
    )
    output = target / tool.output
    failed = run.returncode or not output.is_dir()
    return Built(output, f"{run.stderr}{run.stdout}"[-4000:].strip() or "it made nothing" if failed else "")
