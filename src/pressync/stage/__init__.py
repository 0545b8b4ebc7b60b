"""Plays a site: the embedded service, the rehearsal and the preview."""
