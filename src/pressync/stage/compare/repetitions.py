"""Tells which blocks of the old pages repeat, so that they belong to the theme and not to one page.

Only pages of records count, and each record once. A list of records repeats their texts: a home page with the
first words of each post would hide that those are lost. So a list says nothing of the theme, whether it is
itself a record or not, except of few words such as `4 min read`, which themes write beside each post.
"""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pressync.stage.compare.page_text import PageText


# A list has at least so many texts of other records, each of so many words.
_OF_OTHERS, _LONG = 3, 5
# Text of so many words is not a note of the theme on one post.
_SENTENCE = 8


@dataclass(slots=True)
class Repetitions:
    """The blocks of the old page of each record, and which of them the record does not have."""

    numbers: dict[str, int] = field(default_factory=dict)
    blocks: list[array[int]] = field(default_factory=list)
    others: list[array[int]] = field(default_factory=list)
    long_texts: set[int] = field(default_factory=set)
    seen: Counter[int] = field(default_factory=Counter)
    lists: frozenset[int] = frozenset()
    in_lists: set[int] = field(default_factory=set)

    def pass_by(self, old: PageText) -> None:
        """Note the blocks of a page without a record."""
        self.in_lists |= old.around

    def add(self, address: str, old: PageText, new: PageText) -> int:
        """Add the page of a record, and give its number; a second address of a record adds nothing."""
        number = self.numbers.setdefault(address, len(self.blocks))
        if number == len(self.blocks):
            ranges = [*new.block_ranges()]
            own = {hash(new.words[start:end]) for start, end in ranges}
            self.long_texts |= {hash(new.words[a:b]) for a, b in ranges if b - a >= _LONG}
            self.blocks.append(array("q", old.around))
            self.others.append(array("q", old.around - own))
        return number

    def count(self) -> None:
        """Count the pages that repeat each block. If most of them look like lists, the theme is so."""
        lists = {number for number, others in enumerate(self.others) if self._is_list(others)}
        self.lists = frozenset(lists if len(lists) * 2 < len(self.blocks) else ())
        for number, blocks in enumerate(self.blocks):
            (self.in_lists if number in self.lists else self.seen).update(blocks)

    def _is_list(self, others: array[int]) -> bool:
        return sum(digest in self.long_texts for digest in others) >= _OF_OTHERS

    def is_repeated(self, digest: int, number: int, text: str) -> bool:
        """Tell whether pages of other records than this one have a block, or lists that of a few words."""
        is_list = number in self.lists
        if not is_list and digest in self.in_lists and len(text.split()) < _SENTENCE:
            return True
        return self.seen[digest] > (not is_list and digest in self.blocks[number])
