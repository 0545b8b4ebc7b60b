"""A plan, a run and a status as text, JSON, Markdown, HTML and GitHub annotations.

Each format is one module with the functions `plan` and `run`, where the format has them. They return strings
and print nothing. All of them start from `documents`, so that they show the same numbers.
"""
