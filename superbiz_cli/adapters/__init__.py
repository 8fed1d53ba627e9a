"""One vendor a file; imported only from `bootstrap`."""
