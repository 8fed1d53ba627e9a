"""query_mysql: business facts by SQL that can neither change, nor leak, nor invent anything.

A query passes the layers in this order, each with a module of its own: `text` (characters, sizes),
`tokens` (one SELECT, clause order, nothing but placeholders for values), `syntax` (the grammar),
`names` (allow-list), `joins`, `provenance` (no forged cell, no oracle) and `parameters` (LIMIT).
What is sent to a server is written anew from the accepted tree; no word of the model is in it.
"""
