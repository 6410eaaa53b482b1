"""Where the parts of a kata lie, and how the linter says what is wrong. Standard library only."""

from __future__ import annotations

import importlib.util
import re
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:  # pragma: no cover - the same parser under its older name
    import tomli as tomllib

__all__ = [
    "EXPLANATIONS",
    "LANGUAGES",
    "PACKAGE",
    "Folder",
    "Kata",
    "files_of_a_kata",
    "known_katas",
    "load_module",
    "named",
    "problem",
    "read_toml",
    "row_of",
]

LANGUAGES = ("en", "zh")
PACKAGE = Path(__file__).parent.parent

# The pages on mistakes lie beside the katas, since they serve all of them.
EXPLANATIONS = "explanations"

_BESIDE_KATAS = ("__pycache__", EXPLANATIONS)
_FILES = ("kata.toml", "stub.py", "hints.toml", "questions.toml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kata:
    """One kata's folder, and what its `kata.toml` holds: {} where that cannot be read."""

    folder: Path
    data: dict[str, Any]
    reference: Path

    @property
    def id(self) -> str:
        """The name by which people ask for it."""
        return self.folder.name

    @property
    def stub(self) -> Path:
        """What `start` hands out."""
        return self.folder / "stub.py"

    @property
    def own_answer(self) -> Path:
        """The model answer as people write it, where that is in another language than torch's."""
        return self.folder / "solution.py"

    @property
    def lacking(self) -> bool:
        """Whether a package that it needs is not installed here."""
        return any(find_spec(name) is None for name in self.data.get("needs", ()))

    @property
    def kind(self) -> str:
        """Whether it asks for a class or for functions."""
        return str(self.data.get("kind", ""))

    @property
    def contract(self) -> dict[str, Any]:
        """The contract, as it stands in the file."""
        return dict(self.data.get("contract", {}))

    def file(self, name: str) -> str:
        """Return how a message names one of this kata's files."""
        return f"{self.folder.parent.name}/{self.id}/{name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """A folder of katas, laid out as the package's own: model answers in `../reference`."""

    path: Path

    @property
    def own(self) -> bool:
        """Whether these are the package's own katas, which the judge knows."""
        return self.path.resolve() == (PACKAGE / "kata").resolve()

    @property
    def references(self) -> Path:
        """The folder of the model answers."""
        return self.path.parent / "reference"

    def katas(self) -> list[Kata]:
        """Return what claims to be a kata: every folder, whether it is whole or not."""
        return [self._kata(path) for path in self.folders()]

    def folders(self) -> list[Path]:
        """Return the folders of what claims to be a kata."""
        found = [path for path in sorted(self.path.iterdir()) if path.is_dir()]
        return [path for path in found if path.name not in _BESIDE_KATAS]

    def _kata(self, path: Path) -> Kata:
        try:
            data = read_toml(path / "kata.toml")
        except (OSError, ValueError):
            data = {}
        module = data.get("reference", {}).get("module", path.name)
        return Kata(folder=path, data=data, reference=self.references / f"{module}.py")


def row_of(kata: Kata, file: str, name: str) -> str:
    """Return how a message names a row of one of a kata's files: with its line, if it has one."""
    rows = (kata.folder / file).read_text("utf-8").splitlines()
    says = re.compile(rf'\s*(?:id|name)\s*=\s*["\']{re.escape(name)}["\']')
    line = next((number for number, row in enumerate(rows, 1) if says.match(row)), 0)
    return f"{kata.file(file)}:{line}" if line else kata.file(file)


def problem(file: str, wrong: str, cure: str) -> str:
    """Return one problem as it is printed: where, what is wrong, what to do."""
    return f"{file}: {wrong}; {cure}"


def named(names: list[str]) -> str:
    """Return names as a signature shows them."""
    return f"({', '.join(names)})"


def files_of_a_kata() -> tuple[set[str], set[str]]:
    """Return the names that a kata's folder must hold, and those that it may hold beside them."""
    needed = {*_FILES, "learn.py", "learn.toml"}
    needed |= {f"{text}.{language}.md" for text in ("brief", "learn") for language in LANGUAGES}
    needed |= {f"stub.{language}.py" for language in LANGUAGES[1:]}
    more = {"debug", "claims.toml", "pages", "figures.toml", "solution.py", "phrasings.toml"}
    return {*needed, "mistakes.toml"}, more


def known_katas(folder: Folder) -> set[str]:
    """Return the names of the katas in a folder and of the package's own."""
    own = Folder(path=PACKAGE / "kata")
    return {path.name for each in (own, folder) for path in each.folders()}


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file; raise OSError or ValueError where that fails."""
    return tomllib.loads(path.read_text("utf-8"))


def load_module(path: Path) -> ModuleType:
    """Import one file by its path. Only for stubs and model answers, which are ours."""
    name = f"_attn_kata_dev_{path.parent.name}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[name]
    return module
