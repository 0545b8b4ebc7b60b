"""Authors on a real WordPress: found by every name that they have, told apart, and asked for once."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import pytest
import requests
from tests.live.live import Eyes, live
from tests.live.sites import HOME

from pressync.model.errors import ContentError
from pressync.model.records import NoUser

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.live.proxy import Line
    from tests.live.sites import Site
    from tests.support.repository import SampleRepository

    from pressync.client.wordpress import WordPressService

POST = "content/posts/hello.md"
TODO = "write the user's id or another login, or map the name below `[authors]`"
PEOPLE = {
    "jane": "Jane @ Home",
    "tom": "Tom & Jerry",
    "year": "2024",
    "moved@example.net": "Moved",
    "m1": "Matz",
    "m2": "matz",
    "link": "https://example.org/me",
    "quotes": 'O\'Neil "Q" back\\slash *star',
}


@pytest.fixture
def people(wordpress: Site) -> Iterator[dict[str, int]]:
    """Make users on the site, and give their ids by login."""
    made: dict[str, int] = {}
    auth = ("admin", wordpress.passwords["admin"])
    route = f"{wordpress.url}/wp-json/wp/v2/users"
    try:
        for number, (login, name) in enumerate(PEOPLE.items()):
            row = {
                "username": login,
                "name": name,
                "email": f"{number}@example.org",
                "password": "x9!Kdjhfu3jj",
            }
            answer = requests.post(route, json=row, auth=auth, timeout=30)
            answer.raise_for_status()
            made[login] = answer.json()["id"]
        yield made
    finally:
        for number in made.values():
            params = {"force": "true", "reassign": "1"}
            requests.delete(f"{route}/{number}", params=params, auth=auth, timeout=30).raise_for_status()


def test_each_name_finds_its_user_and_two_users_of_one_name_are_told_apart(
    people: dict[str, int], service: WordPressService
) -> None:
    found = service.authors([*PEOPLE, *PEOPLE.values(), "3@example.org", "MATZ", "jane @ work"])
    assert {login: found[login] for login in people} == people
    assert {login: found[name] for login, name in PEOPLE.items()} == people
    assert found["3@example.org"] == people["moved@example.net"]
    assert found["MATZ"] == NoUser("2 users have this name", "the logins are m1, m2")
    nobody = found["jane @ work"]
    assert isinstance(nobody, NoUser)
    assert nobody.why == "no user has this login, e-mail address or name"
    assert nobody.logins.startswith("the nearest logins are ")


def test_a_user_behind_three_hundred_hits_is_found(wordpress: Site, service: WordPressService) -> None:
    client = ["mariadb", "--no-defaults", "-uroot", f"--socket={HOME / 'run/mariadb.sock'}"]
    client += [f"wp_{wordpress.name}", "-e"]
    insert = (
        "INSERT INTO wp_users (user_login, user_nicename, user_email, display_name) "
        "SELECT CONCAT('crowd', seq), CONCAT('crowd', seq), CONCAT('crowd', seq, '@example.org'), 'Crowd' "
        "FROM seq_1_to_300;"
        "INSERT INTO wp_users (user_login, user_nicename, user_email, display_name) "
        "VALUES ('last-of-crowd', 'last-of-crowd', 'last@example.org', 'Of Crowd')"
    )
    try:
        subprocess.run([*client, insert], check=True)
        found = service.authors(["of crowd", "crowd"])
        assert isinstance(found["of crowd"], int)
        crowd = found["crowd"]
        assert isinstance(crowd, NoUser)
        assert crowd.why == "300 users have this name"
        assert crowd.logins.startswith("the logins are crowd1, crowd10,")
    finally:
        subprocess.run([*client, "DELETE FROM wp_users WHERE user_login LIKE '%crowd%'"], check=True)


def test_an_editor_is_told_why_a_name_is_not_found_and_the_site_is_asked_three_times(
    repository: SampleRepository, line: Line, wordpress: Site, people: dict[str, int]
) -> None:
    Eyes(wordpress).make(title="Published", status="publish", author=people["jane"])
    repository.commit(
        {POST: "---\nauthor: bob\n---\n", "content/posts/other.md": "---\nauthor: Tom & Jerry\n---\n"}
    )
    with pytest.raises(ContentError) as caught:
        live(repository, line, wordpress, user="editor").sync()
    unseen = "this account may not list users, and none that it sees has this login, e-mail address or name"
    told = [re.sub(r"; the nearest logins are [^;]+", "", str(each)) for each in caught.value.problems]
    assert told == [
        f"{POST}:2: author 'bob': {unseen}; {TODO}",
        f"content/posts/other.md:2: author 'Tom & Jerry': {unseen}; {TODO}",
    ]
    assert sum("/users" in sent.path for sent in line.passed) == 1 + 3
    repository.commit({POST: "---\nauthor: Jane @ Home\n---\n", "content/posts/other.md": "Nothing.\n"})
    live(repository, line, wordpress, user="editor").sync()
    assert people["jane"] in {row["author"] for row in Eyes(wordpress).rows("post").values()}


def test_an_author_who_was_deleted_is_told_and_not_confused_with_one_who_may_not_be_seen(
    repository: SampleRepository, line: Line, wordpress: Site, people: dict[str, int]
) -> None:
    repository.commit({POST: "---\nauthor: jane\n---\n"})
    live(repository, line, wordpress).sync()
    number = people["tom"]
    repository.commit({POST: "---\nauthor: tom\n---\n"})
    site = live(repository, line, wordpress)
    site.sync()
    # An editor may not see a user who has published nothing, and goes on with the id of the manifest.
    repository.commit({"content/posts/draft.md": "---\nauthor: jane\nstatus: draft\n---\n"})
    live(repository, line, wordpress, user="editor").sync()
    assert people["jane"] in {row["author"] for row in Eyes(wordpress).rows("post").values()}

    params, auth = {"force": "true", "reassign": "1"}, ("admin", wordpress.passwords["admin"])
    url = f"{wordpress.url}/wp-json/wp/v2/users/{number}"
    requests.delete(url, params=params, auth=auth, timeout=30).raise_for_status()
    del people["tom"]
    repository.commit({POST: "---\nauthor: tom\n---\nEdited.\n"})
    with pytest.raises(ContentError) as caught:
        site.sync()
    reason = "author 'tom': no user has this login, e-mail address or name; the nearest logins are "
    assert [problem.message[: len(reason)] for problem in caught.value.problems] == [reason]
