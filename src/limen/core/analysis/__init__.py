"""From answers to estimates: pure functions on one table of arrays, `Ratings`."""
