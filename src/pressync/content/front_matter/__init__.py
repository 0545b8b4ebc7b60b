"""Front matter, the keys at the top of a file: `formats` reads them, `keys` gives them their meaning."""
