"""Documents and templates become HTML."""
