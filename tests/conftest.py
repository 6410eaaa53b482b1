"""What every test relies on: one thread, 80 columns, no colour, English, a home of its own."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

# Before torch is imported here or in a child: two workers share two cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Tests leave no judge behind; those of judges that stay say so themselves.
os.environ["ATTN_KATA_KEEP"] = "0"

# Sizes are drawn alike on every machine, so a failure in CI is a failure here.
settings.register_profile("repeatable", deadline=None, derandomize=True, database=None)
settings.load_profile("repeatable")

ROOT = Path(__file__).parent.parent

# A shell that runs this in the background has it ignore Ctrl-C, `nohup` a hangup, and so would
# the programs that it starts, some of which are ended by these here.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_addoption(parser):
    """Add --slow."""
    parser.addoption("--slow", action="store_true", help="run the tests marked slow too")


def pytest_collection_modifyitems(config, items):
    """Leave out the slow tests, and those for CUDA where there is no device."""
    if not config.getoption("--slow"):
        for item in items:
            if item.get_closest_marker("slow"):
                item.add_marker(pytest.mark.skip(reason="slow: run with --slow"))
    for_cuda = [item for item in items if item.get_closest_marker("cuda")]
    if for_cuda and not _has_cuda():
        for item in for_cuda:
            item.add_marker(pytest.mark.skip(reason="cuda: there is no device here"))


def _has_cuda():
    import torch

    return torch.cuda.is_available()


@pytest.fixture(autouse=True)
def surroundings(monkeypatch, tmp_path_factory):
    """A screen of 80 columns without colour, in English, and a home that is nobody's."""
    home = tmp_path_factory.mktemp("home")
    for name in ("FORCE_COLOR", "PY_COLORS", "LC_ALL", "LC_MESSAGES", "LANGUAGE", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    for name in [name for name in os.environ if name.startswith(("ATTN_KATA_", "XDG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("ATTN_KATA_KEEP", "0")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    monkeypatch.setenv("PYTHONUTF8", "1")
    return home


@pytest.fixture(scope="session")
def root():
    """The repository, which is the package."""
    return ROOT
