"""The store of answers, on SQLite and on PostgreSQL: one writer, everything synced before it is acknowledged."""
