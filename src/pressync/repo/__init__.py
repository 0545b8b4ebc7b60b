"""Git: trees, blobs, history and references."""
