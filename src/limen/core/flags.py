"""What a reply or a pair is marked with, for a person to read. A flag leaves nothing out by itself."""

SELF_REFERENCE = "self_reference"
"""The reference of the drift holds the reply itself."""

CONTEXT_PROPOSED = "context_proposed"
"""Limen proposed the context, since the log has no topic."""

DRIFT_OF_FULL_TEXT = "drift_of_full_text"
"""The drift is recorded, and belongs to more text than is shown."""

METRIC_UNKNOWN = "metric_unknown"
"""The log does not name the metric of its drift."""
