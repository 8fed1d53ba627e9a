"""lookup_knowledge: find passages that answer, rate the whole, and say so when there are none.

`contract` has the shapes and the port to the retrieval; `project` decides what the model may see,
`reread` reads it again; `tool` puts them together.
"""
