"""Settings: `pressync.toml`, environment variables, flags and secrets."""
