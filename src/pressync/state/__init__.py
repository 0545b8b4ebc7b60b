"""The state of one site: manifest, journal and lock."""
