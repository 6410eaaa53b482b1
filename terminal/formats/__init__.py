"""Reports as other programs read them: JSON, GitHub's annotations, SARIF and JUnit."""

from __future__ import annotations

from enum import Enum

__all__ = ["Format"]


class Format(str, Enum):
    """How `check` writes its reports."""

    text = "text"
    json = "json"
    github = "github"
    sarif = "sarif"
    junit = "junit"
