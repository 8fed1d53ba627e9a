"""The only exit: decides between report, fallback and failure; repair and fallback live here."""
