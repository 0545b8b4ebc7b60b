"""What a site says, as Markdown for the files."""
