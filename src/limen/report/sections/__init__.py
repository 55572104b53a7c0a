"""What the report says, section by section: each is a function from an Analysis to a Section."""
