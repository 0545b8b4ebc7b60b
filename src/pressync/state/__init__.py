"""What was sent and what is being sent: manifest, journal and lock."""
