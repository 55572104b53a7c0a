"""The browser of the survey's tests, for the report."""

from journey.page.conftest import browser_type_launch_args

__all__ = ["browser_type_launch_args"]
