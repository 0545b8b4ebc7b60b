"""What stands at the head of a file: `fences` takes it off and reads it, `meaning` says what it asks for.

It must not know folders, Git or the network; `documents` puts both together.
"""
