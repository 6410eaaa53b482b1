"""A plugin of pytest: the fixture `assert_kata`, and `--kata-report` for what was judged.

Loaded by every pytest of the environment, so that nothing of ours is imported before it is used.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

__all__ = ["assert_kata"]

_TERMINAL = "-"
_KEY = pytest.StashKey[list[dict[str, Any]]]()
# Where a test's reports travel on pytest's own, from the processes of xdist too.
_ATTRIBUTE = "kata_reports"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--kata-report`."""
    parser.getgroup("attn-kata").addoption(
        "--kata-report",
        nargs="?",
        const=_TERMINAL,
        metavar="FILE",
        help="show the reports of assert_kata at the end, or write them to a file "
        "that ends in .json, .sarif or .xml (JUnit)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuse a file whose form its name does not say, before any test runs."""
    asked = config.getoption("--kata-report")
    if asked and asked != _TERMINAL and Path(asked).suffix not in {".json", ".sarif", ".xml"}:
        raise pytest.UsageError(
            f"--kata-report {asked}: the file's name has to end in .json, .sarif or .xml; "
            "write --kata-report=- to see the reports in the terminal"
        )
    config.stash[_KEY] = []


@pytest.fixture
def assert_kata() -> Callable[..., Any]:
    """`attn_kata.assert_kata`: fail unless a class, a path or a source text passes."""
    from .testing import assert_kata as asserted

    return asserted


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    call: pytest.CallInfo[None],
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Give a test's report those of its katas."""
    report = yield
    testing = sys.modules.get(f"{__package__}.testing")
    if call.when == "call" and testing is not None:
        setattr(report, _ATTRIBUTE, [one.data.to_dict() for one in testing.drain()])
    return report


class _Collected:
    """What the tests have judged, where the reports come together."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.config.stash[_KEY] += getattr(report, _ATTRIBUTE, [])


def pytest_sessionstart(session: pytest.Session) -> None:
    """Collect reports, where they are asked for."""
    if session.config.getoption("--kata-report") is not None:
        session.config.pluginmanager.register(_Collected(session.config), "kata-reports")


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Show or write what was judged."""
    asked = config.getoption("--kata-report")
    if asked is None:
        return
    from ..checker import Report
    from .api import language_of_user

    reports = [Report.from_dict(one) for one in config.stash[_KEY]]
    language = language_of_user()
    terminalreporter.section("attn-kata")
    if asked != _TERMINAL:
        from ..terminal.formats.documents import document

        Path(asked).write_text(document(Path(asked).suffix, reports, language), "utf-8")
        terminalreporter.write_line(f"{len(reports)} reports in {asked}")
        return
    from ..terminal.report import quiet_line
    from ..terminal.text import written

    for report in reports:
        terminalreporter.write_line(written(quiet_line(report, language)))
