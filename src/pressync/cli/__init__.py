"""The terminal: what people type, and what they read."""
