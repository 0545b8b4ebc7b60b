"""The tools of `pressync mcp`: bounded answers with named fields, faults that say so, and pages of rows."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
import requests
from mcp import Client, types

from pressync.app.agents import AgentsPlace
from pressync.cli import tool_answers, tool_server
from pressync.cli.options import Globals, ourselves
from pressync.cli.tool_answers import CommandEnd, PageCursor, answer
from pressync.cli.tools import TOOLS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable
    from pathlib import Path

    from tests.support.repository import SampleRepository

READS = AgentsPlace(may_write=False, why="there is no account of an agent")
WRITES = AgentsPlace(may_write=True, why="the embedded service is nobody's public site")
PAGE = "---\ntitle: A\n---\n\nText.\n"


@pytest.fixture(autouse=True)
def at_once(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call of a tool is a command in a process of its own; here their imports are paid once."""
    monkeypatch.setattr(
        "pressync.cli.options.ourselves", lambda globals_: [str(program), "-C", str(globals_.directory)]
    )


def served(
    root: Path,
    *calls: tuple[str, dict[str, Any]],
    place: AgentsPlace = READS,
    seconds: float = 60,
    between: Callable[[Client], Awaitable[object]] | None = None,
) -> list[types.CallToolResult]:
    """Call tools as a client does, one after the other."""

    async def ask() -> list[types.CallToolResult]:
        async with Client(tool_server.ToolServer(Globals(root), place, seconds)) as client:
            answers = []
            for name, arguments in calls:
                answers.append(await client.call_tool(name, arguments))
                text = answers[-1].content[0]
                assert isinstance(text, types.TextContent)
                assert json.loads(text.text) == answers[-1].structured_content
                assert len(answers[-1].model_dump_json(by_alias=True)) <= tool_answers.MOST * 1.3
            if between:
                await between(client)
            return answers

    return asyncio.run(ask())


def one(root: Path, name: str, /, **arguments: object) -> dict[str, Any]:
    """Call one tool that does not fail, and give its fields."""
    (said,) = served(root, (name, arguments))
    assert not said.is_error, said.structured_content
    return dict(said.structured_content or {})


def test_check_finds_what_no_tool_makes_beside_the_tool_that_sends(repository: SampleRepository) -> None:
    repository.commit({"content/posts/a.md": PAGE.replace("title: A", "title: A\ntags: [new]")})
    found = [served(repository.root, ("check", {}), place=place)[0] for place in (READS, WRITES)]
    assert [
        [(row["line"], row["code"]) for row in (said.structured_content or {})["problems"]] for said in found
    ] == [[], [(3, "no-id")]]


def test_many_messages_are_objects_and_those_of_problems_are_not_told_twice(
    repository: SampleRepository,
) -> None:
    text = PAGE + "".join(f"[x](no-{number}.md)\n" for number in range(15))
    repository.commit({"content/pages/a.md": text})
    planned = one(repository.root, "plan")
    assert (planned["messages"], len(planned["problems"])) == ([], 11)
    said = "".join(f'{{"level": "error", "message": "{number}"}}\n' for number in range(15))
    told = answer(next(tool for tool in TOOLS if tool.name == "plan"), {}, CommandEnd(1, "{}", said))
    assert [message["message"] for message in told.fields["messages"]] == [
        *map(str, range(12)),
        "… and 3 more",
    ]


@pytest.mark.sweep
def test_a_server_whose_client_is_gone_ends_without_a_traceback(repository: SampleRepository) -> None:
    repository.commit({"content/pages/a.md": PAGE})
    words = [*ourselves(Globals(repository.root)), "mcp"]
    asked = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    }
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": asked}
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as server:
        assert server.stdin
        assert server.stdout
        assert server.stderr
        server.stdout.close()
        server.stdin.write(json.dumps(request).encode() + b"\n")
        server.stdin.close()
        assert (server.stderr.read(), server.wait()) == (b"", 0)


def test_a_tool_is_a_command_of_the_same_python(
    repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pressync.cli.options.ourselves", ourselves)
    repository.commit({"content/pages/a.md": PAGE})
    assert one(repository.root, "check")["total"] == 0


def test_the_tool_that_writes_exists_only_where_the_site_allows_it(repository: SampleRepository) -> None:
    names: list[list[str]] = []

    async def list_them(client: Client) -> None:
        names.append([tool.name for tool in (await client.list_tools()).tools])

    for place in (READS, WRITES):
        served(repository.root, place=place, between=list_them)

    reading = ["status", "check", "plan", "explain", "explain_problem", "rehearse", "pull"]
    assert names == [reading, [*reading, "sync_drafts"]]


WRONG: tuple[tuple[str, dict[str, object], str], ...] = (
    ("plan", {"bogus": 1}, "`plan` does not take 'bogus'"),
    ("plan", {"paths": "a"}, "`paths` of `plan` is of the JSON type array"),
    ("plan", {"paths": ["a"] * 101}, "has at most 100 texts"),
    ("plan", {"paths": ["x" * 1001]}, "is a text of at most 1,000 characters"),
    ("plan", {"paths": ["a\0b"]}, "has a character that no path and no name has"),
    ("plan", {"paths": [3]}, "is a list of texts"),
    ("plan", {"paths": ["--overwrite"]}, "'--overwrite' is not a committed file"),
    ("plan", {"paths": ["../../etc/passwd"]}, "is not a committed file"),
    ("check", {"paths": ["nowhere"]}, "'nowhere' is not a"),
    ("status", {"paths": ["nowhere"]}, "'nowhere' is not a"),
    ("status", {"limit": 0}, "is a number from 1 to 200"),
    ("status", {"limit": True}, "is of the JSON type integer"),
    ("status", {"cursor": "x"}, "`cursor` is not one of an answer"),
    ("status", {"cursor": "9" * 40}, "`cursor` is not one of an answer"),
    ("status", {"cursor": f"{'0' * 12}.1"}, "call `status` again without `cursor`"),
    ("explain", {}, "`explain` needs `path`"),
    ("explain_problem", {"name": "zzz"}, "No section is called 'zzz'"),
    ("sync_drafts", {}, "there is no tool of this name here"),
    ("x\u202e", {}, "there is no tool of this name here"),
)


@pytest.mark.parametrize(("name", "arguments", "why"), WRONG)
def test_a_wrong_call_is_an_error_with_one_sentence(
    repository: SampleRepository, name: str, arguments: dict[str, object], why: str
) -> None:
    repository.commit({"content/pages/a.md": PAGE})
    (said,) = served(repository.root, (name, arguments))

    assert said.is_error
    assert why in str((said.structured_content or {})["summary"])


def test_settings_that_are_wrong_are_an_error_and_content_that_is_wrong_is_a_result(
    repository: SampleRepository,
) -> None:
    repository.commit({"content/pages/a.md": "---\ndate: never\n---\n\nA.\n"})
    calls = [(name, dict[str, Any]()) for name in ("check", "plan", "rehearse")]
    for said in served(repository.root, *calls):
        assert not said.is_error
        assert "'never' is not a date" in json.dumps(said.structured_content)

    repository.commit({"pressync.toml": "colour = 3\n"})
    for said in served(repository.root, *calls):
        assert said.is_error
        assert "unknown key 'colour'" in str((said.structured_content or {})["summary"])


def test_a_refusal_to_write_is_an_error(repository: SampleRepository) -> None:
    repository.commit({"content/posts/a.md": PAGE.replace("title", "tags: [new]\ntitle")})
    (said,) = served(repository.root, ("sync_drafts", {}), place=WRITES)

    assert said.is_error
    assert "names tags 'new', which the site does not have" in str(said.structured_content)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("status", {"state": "published"}), ("plan", {"state": "added"})],
)
def test_a_word_that_chooses_no_row_is_told(
    repository: SampleRepository, name: str, arguments: dict[str, object]
) -> None:
    repository.commit({"content/pages/a.md": PAGE})
    said = one(repository.root, name, **arguments)
    assert (said["total"], "None of them is chosen" in said["summary"]) == (0, True)
    assert "None of them" not in one(repository.root, name)["summary"]


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("import time; time.sleep(60)", "took too long, and was ended"),
        ("raise RuntimeError('hunter2-secret')", "RuntimeError: ***"),
        ("import os; os.kill(os.getpid(), 9)", "it failed"),
        ("print('[' * 100000)", "it failed"),
        ("pass", "it failed"),
    ],
)
def test_a_command_that_hangs_or_crashes_is_an_error(
    repository: SampleRepository, monkeypatch: pytest.MonkeyPatch, program: str, why: str
) -> None:
    monkeypatch.setenv("PRESSYNC_AGENT_PASSWORD", "hunter2-secret")
    words = [sys.executable, "-c", program]
    monkeypatch.setattr("pressync.cli.options.ourselves", lambda _globals: words)
    (said,) = served(repository.root, ("status", {}), seconds=2)

    assert said.is_error
    assert why in str((said.structured_content or {})["summary"])


def test_long_lists_come_in_pages_and_every_answer_has_its_bound(repository: SampleRepository) -> None:
    many = {
        f"content/pages/page-{n:03}.md": f"---\ntitle: P{n}\n---\n\n{'Words. ' * 3000}" for n in range(60)
    }
    repository.commit({**many, "content/pages/bad.md": "---\nstatus: unheard\n---\n\nA.\n"})
    for name, rows in (("status", "records"), ("plan", "changes")):
        seen: list[str] = []

        async def all_pages(
            client: Client, name: str = name, rows: str = rows, seen: list[str] = seen
        ) -> None:
            following: dict[str, str] | None = {}
            while following is not None:
                said = await client.call_tool(name, {"limit": 25, **following})
                fields = said.structured_content or {}
                assert fields["total"] == 61
                seen += [row["path"] for row in fields[rows]]
                following = fields["next_cursor"] and {"cursor": fields["next_cursor"]}

        served(repository.root, between=all_pages)
        assert len(seen) == len({*seen}) == 61

    assert [row["path"] for row in one(repository.root, "status", state="blocked")["records"]] == [
        "content/pages/bad.md"
    ]
    some = one(repository.root, "status", paths=["content/pages/page-001.md"])
    assert (some["total"], some["summary"]) == (1, "1 record: 1 new")


def test_a_list_of_several_pages_is_of_one_moment(repository: SampleRepository) -> None:
    repository.commit({f"content/pages/page-{n}.md": PAGE for n in range(6)})
    further = {}

    async def edit_and_go_on(client: Client) -> None:
        first = (await client.call_tool("status", {"limit": 3})).structured_content or {}
        further["cursor"] = first["next_cursor"]
        repository.commit({"content/pages/a-new.md": PAGE})
        second = await client.call_tool("status", further)
        fields = second.structured_content or {}
        seen = [row["path"] for row in first["records"] + fields["records"]]
        assert seen == [f"content/pages/page-{n}.md" for n in range(6)]
        other = await client.call_tool("status", {**further, "state": "blocked"})
        assert "call `status` again without `cursor`" in str(other.structured_content)

    served(repository.root, between=edit_and_go_on)
    (late,) = served(repository.root, ("status", further))
    assert late.is_error
    assert "call `status` again without `cursor`" in str(late.structured_content)


def test_a_page_of_a_sync_does_not_sync_again(repository: SampleRepository) -> None:
    repository.commit({f"content/pages/page-{n}.md": PAGE.replace("A", f"P{n}") for n in range(4)})

    async def go_on(client: Client) -> None:
        first = await client.call_tool("sync_drafts", {"limit": 3})
        cursor = (first.structured_content or {})["next_cursor"]
        second = await client.call_tool("sync_drafts", {"cursor": cursor})
        assert [row["result"] for row in (second.structured_content or {})["outcomes"]] == ["done"]

    served(repository.root, place=WRITES, between=go_on)


def test_an_answer_has_named_fields_and_no_text_with_json(repository: SampleRepository) -> None:
    repository.commit({"content/pages/a.md": "---\ntitle: A\n---\n\n[x](gone.md) \u202e\U000e0041\n"})
    calls = [("status", {}), ("check", {}), ("plan", {}), ("explain", {"path": "content/pages/a.md"})]
    for said in served(repository.root, *calls):
        for text in texts(said.structured_content):
            assert not text.startswith(("{", "["))
            assert re.search("[\u202e\U000e0041]", text) is None


def texts(value: object) -> Iterable[str]:
    """Give all texts of a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from texts(each)


def test_check_plan_and_explain_read_what_is_saved_if_they_are_asked(repository: SampleRepository) -> None:
    repository.commit({"content/pages/a.md": PAGE})
    (repository.root / "content/pages/b.md").write_text(PAGE)
    (repository.root / "content/pages/a.md").write_text("---\ndate: never\n---\n\nA.\n")

    assert one(repository.root, "check")["summary"].startswith("1 problem: 1 error")
    assert "b.md" in json.dumps(one(repository.root, "plan", worktree=True)["changes"])
    explained = one(repository.root, "explain", path="content/pages/b.md", worktree=True)
    assert explained["summary"].startswith("create")
    assert one(repository.root, "plan", drift=True)["summary"] == "1 create"


def test_a_problem_is_explained_and_the_guide_and_the_skill_are_at_hand(repository: SampleRepository) -> None:
    repository.commit({"content/pages/a.md": PAGE})
    assert (
        "The commit does not have this file"
        in one(repository.root, "explain_problem", name="broken-link")["text"]
    )
    found: dict[str, str] = {}

    async def read(client: Client) -> None:
        names = {str(each.uri): each.name for each in (await client.list_resources()).resources}
        for uri in ("pressync://guide/agents", "pressync://schema/front-matter"):
            assert uri in names
            content = (await client.read_resource(uri)).contents[0]
            assert isinstance(content, types.TextResourceContents)
            found[uri] = content.text
        (message,) = (await client.get_prompt("skill")).messages
        assert isinstance(message.content, types.TextContent)
        found["skill"] = message.content.text

    served(repository.root, between=read)
    assert json.loads(found["pressync://schema/front-matter"])["title"].startswith("Front matter")
    assert "title: Agents" in found["pressync://guide/agents"]
    assert "# Working with pressync" in found["skill"]


def test_the_address_of_a_rehearsal_answers_until_the_next_one(repository: SampleRepository) -> None:
    repository.commit({"content/pages/a.md": PAGE})

    async def look(client: Client) -> None:
        first = await rehearsed(client)
        assert status(first) == 200
        second = await rehearsed(client)
        assert status(second) == 200
        assert first == second or status(first) == 0

    async def rehearsed(client: Client) -> str:
        said = await client.call_tool("rehearse", {})
        return str((said.structured_content or {})["address"])

    served(repository.root, between=look)


def status(address: str) -> int:
    """Get the page of a stage; 0 if nothing answers."""
    try:
        return requests.get(f"{address}a/", timeout=10).status_code
    except requests.ConnectionError:
        return 0


def test_rows_that_need_somebody_come_first_and_members_that_say_nothing_are_left_out() -> None:
    status = next(tool for tool in TOOLS if tool.name == "status")
    states = ["in_step", "in_step", "conflict"]
    rows = [{"path": f"p{n}", "state": state, "date": None, "notes": 0} for n, state in enumerate(states)]
    said = answer(status, {"limit": 2}, CommandEnd(0, json.dumps({"records": rows}), ""))
    assert said.fields["records"] == [
        {"path": "p2", "state": "conflict", "notes": 0},
        {"path": "p0", "state": "in_step", "notes": 0},
    ]


def test_the_dead_links_of_what_a_rehearsal_changed_begin_their_list() -> None:
    rehearse = next(tool for tool in TOOLS if tool.name == "rehearse")
    dead = [{"path": f"p{n}", "line": 1} for n in range(300)]
    document = {"outcomes": [{"path": "p299", "result": "done"}], "links": {"checked": 300, "dead": dead}}
    said = answer(rehearse, {}, CommandEnd(1, json.dumps(document), ""))
    assert said.fields["links"]["dead"][0]["path"] == "p299"


def test_whatever_a_command_prints_the_answer_parses_and_has_its_bound() -> None:
    rows = [{"path": f"p{n}", "severity": "error", "message": "\x00\x1b[31m“" * n * 7} for n in range(60)]
    check = next(tool for tool in TOOLS if tool.name == "check")
    document = json.dumps({"version": 1, "documents": 1, "problems": rows, "more": ["y" * 9000] * 900})
    noise = "\n".join(["Traceback (most recent call last):", "x" * 90000, '{"level": "error", "path": 3}'])
    first: PageCursor | None = PageCursor("run", 0)
    seen = []
    while first is not None:
        said = answer(check, {"limit": 50}, CommandEnd(2, document, noise), first=first)
        assert len(said.text) <= tool_answers.MOST / 2
        seen += [row["path"] for row in json.loads(said.text)["problems"]]
        following = said.fields["next_cursor"]
        first = PageCursor("run", int(following.removeprefix("run."))) if following else None
    assert seen == [row["path"] for row in rows]
    assert os.linesep not in said.text
