"""The revisions, one a file, named after `migrate.REVISIONS`."""
