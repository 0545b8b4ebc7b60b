"""A plan, a run and a status as text, JSON, Markdown, HTML and GitHub annotations.

Each format is one module with the functions `plan`, `run` and `status`, where the format has them; the text
of a status is a module of its own. They return strings and print nothing. All of them start from `documents`,
so that they show the same numbers.
"""
