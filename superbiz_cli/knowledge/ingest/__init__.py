"""The write side, in the order of the work: `discover` files, `name` them, `read` them, `write` them.

`session` keeps a collection consistent whenever the process dies, `ingestion` is the whole.
"""
