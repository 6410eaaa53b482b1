"""Fill the screens of a Markdown file with what the real program prints.

A screen is a comment that names a command, and the block of text after it::

    <!-- screen: attn-kata list -->
    ```text
    ...
    ```

`python -m attn_kata.dev.screens README.md` runs each command, 80 columns wide and without
colour, at the root of the project that the file is in. With `--check` nothing is written,
and the exit status is 1 where a screen is out of date. Times differ from run to run and do
not count.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

__all__ = [
    "environment",
    "filled",
    "main",
    "output",
    "refill",
    "screens",
    "steady",
    "tidy",
]

_SCREEN = re.compile(r"<!-- screen: (?P<command>.+?) -->\n```text\n(?P<shown>.*?)```\n", re.DOTALL)
_TIME = re.compile(r" *\b\d+(\.\d+)? (s|ms)\b")


def screens(text: str) -> Iterator[tuple[str, str]]:
    """Yield each screen's command and what the text shows for it."""
    for match in _SCREEN.finditer(text):
        yield match["command"], match["shown"]


def filled(text: str, folder: Path) -> str:
    """Return the text with every screen as the program prints it now.

    A screen that differs in its times alone stays as it is.
    """

    def fill(match: re.Match[str]) -> str:
        now = output(match["command"], folder)
        shown = match["shown"] if steady(match["shown"]) == steady(now) else now
        return f"<!-- screen: {match['command']} -->\n```text\n{shown}```\n"

    return _SCREEN.sub(fill, text)


def output(command: str, folder: Path) -> str:
    """Run a command as a newcomer would, and return what is on the screen after it.

    Several, with `&&` between them, run in an empty folder; each is shown before what it prints.
    """
    steps = command.split(" && ")
    with tempfile.TemporaryDirectory() as home:
        if len(steps) == 1:
            return tidy(_printed(command, folder, home))
        place = Path(home) / "work"
        place.mkdir()
        return "\n".join(f"$ {step}\n{tidy(_printed(step, place, home))}" for step in steps)


def _printed(command: str, folder: Path, home: str) -> str:
    program, *arguments = shlex.split(command)
    own = Path(sys.executable).with_name(program)
    done = subprocess.run(
        [own if own.exists() else program, *arguments],
        cwd=folder,
        env=environment(home),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return done.stdout.decode("utf-8")


def tidy(shown: str) -> str:
    """Return what was printed without the blanks around it."""
    return "".join(f"{line.rstrip()}\n" for line in shown.splitlines()).strip("\n") + "\n"


def steady(shown: str) -> str:
    """Return a screen without what differs from run to run: times, and the blanks before them."""
    return _TIME.sub(" 0 s", shown)


def main(arguments: Sequence[str] | None = None) -> int:
    """Fill the screens of the files named, or check them; return the exit status."""
    return refill(lambda text, path: filled(text, _root(path.resolve())), arguments)


def refill(fill: Callable[[str, Path], str], arguments: Sequence[str] | None = None) -> int:
    """Fill files by a function of their text and path, or check them; return the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    check = "--check" in given
    stale: list[str] = []
    for name in given:
        if name == "--check":
            continue
        path = Path(name)
        text = path.read_text("utf-8")
        now = fill(text, path)
        stale += [name] if now != text else []
        if not check:
            path.write_text(now, "utf-8")
    for name in stale if check else ():
        print(f"{name}: its screens are out of date; run `make screens`")
    return int(check and bool(stale))


def _root(path: Path) -> Path:
    """The project's folder; the file's own where there is no project."""
    around = (folder for folder in path.parents if (folder / "pyproject.toml").is_file())
    return next(around, path.parent)


def environment(home: str) -> dict[str, str]:
    """Return an environment in which every machine shows the same screen."""
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    fixed = {"COLUMNS": "80", "LINES": "24", "NO_COLOR": "1", "LANG": "en_US.UTF-8"}
    # Nobody comes back to this home for a judge that stays.
    fixed["ATTN_KATA_KEEP"] = "0"
    # No GPU: what a report says of the device must not depend on where it was run.
    return {**kept, **fixed, "HOME": home, "PYTHONUTF8": "1", "CUDA_VISIBLE_DEVICES": ""}


if __name__ == "__main__":
    sys.exit(main())
