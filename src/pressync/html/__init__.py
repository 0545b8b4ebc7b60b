"""HTML -> what it says to a reader, and the Markdown that says the same: the way back of `render`.

It must not know files, sites or the renderer. `tree` takes HTML apart, `pieces` cuts it where Markdown
has its blocks, `normalize` makes alike what reads alike, `to_markdown` and `inline` write Markdown.
"""
