"""`rehearse`: the sync of a commit to a stage of one's own, and the account of it."""
