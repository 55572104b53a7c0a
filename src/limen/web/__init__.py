"""The participant's pages, the interface they talk to, and the researcher's pages."""
