"""HTML as data: parse it, normalize it, and write it as Markdown. This reverses `content.render`.

`tree` parses HTML, `pieces` cuts it into blocks, `normalize` gives HTML that looks the same one spelling, and
`to_markdown` and `inline` write Markdown.
"""
