"""The developer's tools: the content linter, and the screens that the README shows."""
