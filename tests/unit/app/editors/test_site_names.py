"""The names that an editor offers: of the site, the manifest, the settings and the templates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.embedded_wordpress import ENVIRON
from tests.support.lines import closed_port
from tests.support.syncing import Bound

from pressync.app.editors import site_names

if TYPE_CHECKING:
    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.repository import SampleRepository

FILES = {
    "pressync.toml": '[authors]\n"Jane Doe" = "ada"\n"*" = "admin"\n',
    "content/pages/a.md": "# A\n",
    "templates/page.html": "{{ content }}",
    "templates/wide/hero.html": "{{ content }}",
    "templates/style.css": "",
}


def test_names_come_from_the_site_the_settings_and_the_templates_by_get_alone(
    site: EmbeddedWordPress, repository: SampleRepository
) -> None:
    repository.commit(FILES)
    news = site.post("categories", name="News & more")
    site.post("categories", name="Local", parent=news)
    site.post("categories", name="CI/CD")
    site.post("tags", name="2024")
    site.post("users", username="ada", email="ada@example.org", password="x", roles=["editor"])
    said: list[str] = []
    with Bound(repository.root, site.url, environ=ENVIRON).workspace() as workspace:
        names = site_names.of(workspace, said.append)
    assert names == {
        "categories": ("News & more", "News & more/Local", "Uncategorized"),
        "tags": ("2024",),
        "author": ("Jane Doe", "ada", "admin"),
        "layout": ("page", "wide/hero"),
    }
    assert {request.method for request, _, _ in site.exchanges} == {"GET"}
    assert [sentence.partition(":")[0] for sentence in said] == [
        "The site does not show this account what `template` may be"
    ]


def test_without_an_answer_there_are_the_names_that_this_clone_knows(
    repository: SampleRepository,
) -> None:
    repository.commit(FILES)
    said: list[str] = []
    with Bound(repository.root, f"http://{closed_port()}", environ=ENVIRON).workspace() as workspace:
        names = site_names.of(workspace, said.append)
    assert names == {"author": ("Jane Doe",), "layout": ("page", "wide/hero")}
    assert said[-1].startswith("The site was not read, so only the names that this clone knows are there: ")


def test_names_that_a_sync_has_learnt_are_there_without_a_site(
    site: EmbeddedWordPress, repository: SampleRepository
) -> None:
    repository.commit({"content/posts/a.md": "---\ntags: [bread]\ncategories: [News/Local]\n---\nA\n"})
    bound = Bound(repository.root, site.url, environ=ENVIRON)
    bound.sync()
    site.auth = ("nobody", "x")
    with bound.workspace() as workspace:
        names = site_names.of(workspace, lambda _sentence: None)
    assert names["tags"] == ("bread",)
    assert "News/Local" in names["categories"]


def test_a_name_that_would_break_a_line_is_left_out(
    site: EmbeddedWordPress, repository: SampleRepository
) -> None:
    repository.commit(FILES)
    with site.store.writing() as db:
        db.execute("UPDATE terms SET name = 'two' || char(10) || 'lines'")
    with Bound(repository.root, site.url, environ=ENVIRON).workspace() as workspace:
        assert "categories" not in site_names.of(workspace, lambda _sentence: None)
