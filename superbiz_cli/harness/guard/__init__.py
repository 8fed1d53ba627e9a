"""May this draft be believed? References by code, claims by code, support by an isolated judge."""
