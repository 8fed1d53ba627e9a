"""The shared language of the harness: states, records and ports that every layer speaks.

Imports nothing but the standard library and pydantic. One concept a file; import from the file.
"""
