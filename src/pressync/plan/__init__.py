"""What must change on the site, and in which order."""
