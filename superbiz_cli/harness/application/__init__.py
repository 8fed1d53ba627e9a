"""Owns one Run from the question to its outcome: session, routing, branches, the one failure exit."""
