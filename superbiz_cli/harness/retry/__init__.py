"""Metered attempts: which failures may be repeated, how often, and within what time."""
