"""Git's hooks: installed, called by Git, and answered within a time limit."""
