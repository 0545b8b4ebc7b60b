"""Browsers that wait for news, and the one thread that has them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from pressync.app.preview.board import Board


def test_a_browser_waits_until_there_are_facts_about_its_page() -> None:
    board = Board()
    with ThreadPoolExecutor() as threads:
        asked = threads.submit(board.ask, "/a/", 0)
        board.wait(60)
        assert board.wanted == ["/a/"]
        board.put("/a/", {"path": "a.md"})
        assert asked.result(60) == {"stage": board.stage, "number": 1, "path": "a.md"}
    assert board.wanted == []
    # It has not seen these facts yet, so it does not wait.
    assert board.ask("/a/", 0)["path"] == "a.md"


def test_news_reach_a_browser_that_has_the_old_facts() -> None:
    board = Board()
    board.put("/a/", {"path": "a.md"})
    before = board.stage
    with ThreadPoolExecutor() as threads:
        asked = threads.submit(board.ask, "/a/", 1)
        board.renew(stage_changed=True)
        board.wait(60)
        board.put("/a/", {"path": "b.md"})
        said = asked.result(60)
    assert (said["number"], said["path"]) == (2, "b.md")
    assert said["stage"] == board.stage != before


def test_news_that_change_no_page_leave_the_state_of_the_stage() -> None:
    board = Board()
    before = board.stage
    board.renew()
    assert board.stage == before
    assert Board().stage != before


def test_so_many_browsers_wait_and_the_others_come_again() -> None:
    board = Board()
    with ThreadPoolExecutor() as threads:
        waiting = [threads.submit(board.ask, f"/{number}/", 0) for number in range(4)]
        while len(board.wanted) < 4:
            board.wait(0.01)
        assert board.ask("/5/", 0) == {"stage": board.stage, "number": 0, "again": 1_000}
        board.close()
        assert [each.result(60)["number"] for each in waiting] == [0] * 4
    assert board.ask("/6/", 0)["number"] == 0


def test_facts_are_made_for_the_pages_that_were_asked_for_last() -> None:
    board = Board()
    board.close()
    for number in range(20):
        board.ask(f"/{number}/", 0)
    assert board.wanted == [f"/{number}/" for number in range(12, 20)]
