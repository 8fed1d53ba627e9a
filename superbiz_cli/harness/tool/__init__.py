"""The fact boundary: what a tool may do, what really came back, and what the model may see of it.

`port` says what an evidence tool is, `invocation` what is kept of a call, `boundary` how a call
runs. The three tools under `knowledge`, `logs/` and `mysql/` do not know each other.
"""
