"""Plan, outcomes and status -> text, json, markdown, html, github. Returns strings, prints nothing.

A folder because it is many of a kind: one module per format, each with the same three functions where
the format has them. All of them start from `documents`, so that no two formats can tell different numbers.
"""
