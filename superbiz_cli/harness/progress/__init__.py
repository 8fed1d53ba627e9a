"""Is it worth looking further? Counters, ratings, duplicate scopes, and the bounded snapshot."""
