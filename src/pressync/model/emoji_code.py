"""The pattern of an emoji code such as `:heart:`, which plugins of other tools turn into a picture. Pure.

WordPress turns a few of them into pictures too, so these are left out. The pattern begins with one character,
to which `re` skips at once.
"""

from __future__ import annotations

_OF_WORDPRESS = (
    "mrgreen|neutral|twisted|arrow|shock|smile|cool|evil|grin|idea|oops|razz|roll|wink|cry|eek|lol|mad|sad"
)
EMOJI_CODE = rf":(?<![\w:/.]:)(?!(?:{_OF_WORDPRESS}):)(?:[a-z][a-z0-9_+-]{{1,40}}|[+-]1):(?![\w/:`])"
