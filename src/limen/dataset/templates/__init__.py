"""Scripts that are written beside the results, with places to fill in."""
