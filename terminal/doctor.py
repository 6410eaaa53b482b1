"""What the doctor looks at, ready to be drawn."""

from __future__ import annotations

import math
import platform
import sys

from ..practice.history import History
from ..practice.home import home, shut
from ..practice.summary import checks
from ..practice.surroundings import Cuda, missing_fences
from .lists import Finding
from .screen import Screen

__all__ = ["findings"]

_CUDA_FAULTS = {"cuda-fault", "cuda-no-start"}


def findings(screen: Screen, version: str, torch: str | None, cuda: Cuda | None) -> list[Finding]:
    """Return all there is to say about the surroundings, and what is wrong with them."""
    return [
        Finding("program", version),
        Finding("python", f"{platform.python_version()}  {sys.executable}"),
        Finding("torch", torch or screen.say("doctor-torch-missing"), fine=torch is not None),
        _cuda(screen, cuda),
        _fences(screen),
        _judges(screen),
        _terminal(screen),
        _language(screen),
        _data(screen),
        _history(screen),
    ]


def _cuda(screen: Screen, cuda: Cuda | None) -> Finding:
    """No GPU is no fault; one that does not start, or a torch that cannot be asked, is one."""
    if cuda is None:
        return Finding("cuda", screen.say("doctor-cuda-skipped"))
    return Finding("cuda", screen.say(cuda.key, **cuda.values), fine=cuda.key not in _CUDA_FAULTS)


def _fences(screen: Screen) -> Finding:
    """An older system fences less, and judges all the same."""
    missing = [screen.say(f"fence-{name}") for name in missing_fences()]
    if not missing:
        return Finding("fences", screen.say("fences-all"))
    return Finding("fences", screen.say("fences-missing", names=", ".join(missing)))


def _judges(screen: Screen) -> Finding:
    """Which judges stay, and for how long yet."""
    from ..checker import standing

    judges = standing()
    if not judges:
        return Finding("judges", screen.say("judges-none"))
    longest = max(one["minutes"] - one["idle"] / 60 for one in judges)
    text = screen.say(
        "judges-are", count=len(judges), minutes=math.ceil(max(0.0, longest)),
        busy=sum(one["serving"] for one in judges),
        names=[str(one["pid"]) for one in judges],
    )  # fmt: skip
    return Finding("judges", text)


def _terminal(screen: Screen) -> Finding:
    console = screen.out
    colour = "doctor-colour" if console.color_system and not console.no_color else "doctor-plain"
    text = screen.say(
        "doctor-terminal-is" if console.is_terminal else "doctor-piped",
        width=console.width,
        height=console.height,
        colour=screen.say(colour),
        encoding=sys.stdout.encoding,
    )
    return Finding("terminal", text)


def _language(screen: Screen) -> Finding:
    if not screen.source:
        return Finding("language", screen.say("doctor-language-default"))
    return Finding("language", screen.say("doctor-language-is", source=screen.source))


def _data(screen: Screen) -> Finding:
    folder = home()
    barrier = shut(folder)
    if barrier is None:
        return Finding("data", str(folder))
    text = screen.say("doctor-data-shut", folder=folder, barrier=barrier)
    return Finding("data", text, fine=False)


def _history(screen: Screen) -> Finding:
    history = History()
    # Looks the whole database through, which reading it does not.
    history.count()
    count = len(checks(history.story()))
    if history.troubles:
        trouble = history.troubles[0]
        return Finding("history", screen.say(trouble.key, **trouble.values), fine=False)
    return Finding("history", screen.say("doctor-history-is", count=count))
