"""The page's frame and its stylesheet."""
