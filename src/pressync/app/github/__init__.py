"""What a GitHub workflow gives to a step and takes from it: the event, the step's files, one comment.

A folder because it is the far side of a wire: nothing outside of it knows GitHub's variables, files and
paths, and nothing in it knows plans, sites or Markdown. Facts come from GitHub's own documentation, and
the section is named where one is used.
"""
