"""One module for each command: its Click declaration. `main` imports a module when its command is called."""
