"""One sync run: it claims the site, sends the changes and records the responses."""
