"""An Analysis as a page, as Markdown and as figures."""
