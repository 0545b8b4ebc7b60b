"""Uploaded pictures, found by their ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.server.pictures import UploadedPicture, pictures

if TYPE_CHECKING:
    from pressync.server.store import Store


def test_pictures_come_in_the_order_of_the_ids_and_other_files_do_not(store: Store) -> None:
    with store.writing() as db:
        for number, mime_type in ((7, "image/png"), (8, "application/pdf"), (9, "image/webp")):
            values = (number, f"s{number}", f"2024/{number}", f"alt {number}", mime_type)
            db.execute(
                "INSERT INTO media VALUES (?, ?, 'T', ?, ?, ?, 0, 0, 1)",
                (*values[:2], values[3], values[2], values[4]),
            )
        assert pictures(db, [9, 8, 7, 1]) == [
            UploadedPicture("/wp-content/uploads/2024/9", "alt 9"),
            UploadedPicture("/wp-content/uploads/2024/7", "alt 7"),
        ]
        assert pictures(db, []) == []
