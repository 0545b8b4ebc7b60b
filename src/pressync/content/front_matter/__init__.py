"""What stands at the head of a file: `split` takes it off and reads it, `keys` says what it asks for.

It must not know folders, Git or the network; `documents` puts both together.
"""
