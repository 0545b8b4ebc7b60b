"""The application password of a user: made in the browser, checked, and kept in the system keyring."""
