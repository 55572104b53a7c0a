"""The figures: each is first a value (what is plotted, and that in words), then a drawing."""
