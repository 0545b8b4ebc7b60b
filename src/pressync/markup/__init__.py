"""HTML -> what it says to a reader, and the Markdown that says the same: the way back of `render`.

It must not know files, sites or the renderer. `tree` takes HTML apart, `pieces` cuts it where Markdown
has its blocks, `reading` makes alike what reads alike, `blocks` and `inline` write Markdown.
"""
