"""query_logs: find events in the configured logs, show patterns before lines, let no secret out.

`contract` has the shapes and the port to a back end; `terms`, `patterns` and `tally` are the pure
parts that a reader uses to find and condense events; `project` decides what the model may see;
`tool` puts them together.
"""
