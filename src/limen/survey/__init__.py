"""The participant's page: what crosses the wire, the page itself, and its export as one file."""
