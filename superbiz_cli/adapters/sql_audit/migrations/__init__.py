"""Alembic's script folder. Forward only; each step can be repeated after an interruption."""
