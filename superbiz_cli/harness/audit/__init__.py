"""The ledger: one stream of trace events and detail rows, metadata only, that never stops a Run."""
