"""The nouns. This file stays empty of code: printing one error must not load every dataclass."""
