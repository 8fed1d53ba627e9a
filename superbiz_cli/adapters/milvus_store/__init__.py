"""Knowledge in Milvus: one schema for the embedded engine and for a server.

`engine` runs Milvus Lite in this process, `client` connects and translates errors, `schema` and `rows`
say how knowledge is laid out, `catalog` keeps profile, documents and vocabulary, `store` puts it together.
"""
