"""The run archive on SQLAlchemy: a SQLite file by default, MySQL or MariaDB by URL.

Reading order: `address` (where), `database` (connections), `faults` (errors in our words), `schema`
(tables), `migrate` (Alembic, only when needed), `run_rows`, `session_rows`, `trace_rows`, `trace_sink`,
`archive` (the port). Nothing is imported here, so that the package costs nothing until it is opened.
"""
