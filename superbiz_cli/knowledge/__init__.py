"""Retrieval back end: ingest, search, rate and pack passages of runbooks."""
