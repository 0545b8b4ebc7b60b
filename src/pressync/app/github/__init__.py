"""Speaks with GitHub for the Action: the event, the step's files, the workflow.

Only this folder knows GitHub's variables, files and paths. The facts come from GitHub's documentation; a
comment names the section where a fact is used.
"""
