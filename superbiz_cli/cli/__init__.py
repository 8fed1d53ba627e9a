"""Typer and Rich live here and nowhere else; one file a command: parse, one call, render."""
