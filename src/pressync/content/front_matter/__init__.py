"""Front matter, the keys at the top of a file: `split` reads them, `keys` gives their meaning.

`documents` puts both together.
"""
