"""What a person has chosen once for all: a small TOML file, changed line by line."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from .errors import Refusal, Trouble
from .home import alone, reason, settings_folder, write_whole

if sys.version_info >= (3, 11):
    import tomllib
else:  # pragma: no cover - the same parser under its older name
    import tomli as tomllib

__all__ = ["SETTINGS", "Settings"]

_NAME = "config.toml"
# Each setting with the values that it may have; any text where none are named.
SETTINGS: Mapping[str, tuple[str, ...]] = {
    "lang": ("en", "zh"),
    "color": ("auto", "always", "never"),
    "editor": (),
    "katas": (),
}
_PLACE = re.compile(r" ?\(at (?:line (\d+), column \d+|end of document)\)")

# Other words for a choice, which the error that they earn understands.
_OTHER_WORDS = {
    "zh": ("cn", "chinese", "中文", "汉语", "简体中文"),
    "en": ("english", "us", "uk", "英文", "英语"),
    "always": ("on", "yes", "true", "1"),
    "never": ("off", "no", "false", "0", "none"),
}


class Settings:
    """The settings as they stand in the file. values: those that count.

    troubles: what is wrong with the file, to be said; a file that cannot be read is never
    written.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.path = (folder or settings_folder()) / _NAME
        self.values: dict[str, str] = {}
        self.troubles: list[Trouble] = []
        self._broken: Trouble | None = None
        self._text = self._read()

    def get(self, name: str) -> str:
        """Return a setting's value, empty where it is not set."""
        return self.values.get(name, "")

    def put(self, name: str, value: str | None) -> None:
        """Set a setting, or unset it with None. Raise Refusal where that cannot be."""
        self.known(name)
        choices = SETTINGS[name]
        if value is not None and not _fits(value, choices):
            key = "setting-choices" if choices else "setting-text"
            shown = (f"config {name} {_meant(value, choices)}" if choices else f"config {name}",)
            raise Refusal(key, name=name, wanted=choices, commands=shown)
        try:
            with alone(self.path.parent):
                # Another command may have changed it meanwhile.
                self._text = self._read()
                if self._broken is not None:
                    raise Refusal(self._broken.key, notes=(), commands=(), **self._broken.values)
                self._write(_changed(self._text, name, value))
        except OSError as fault:
            raise Refusal("cannot-write", file=str(self.path), reason=reason(fault)) from None
        self._text = self._read()

    def known(self, name: str) -> None:
        """Raise Refusal with the list, where there is no such setting."""
        if name in SETTINGS:
            return
        from difflib import get_close_matches

        near = tuple(f"`{one}`" for one in get_close_matches(name, SETTINGS, n=1, cutoff=0.5))
        key = "no-setting-near" if near else "no-setting"
        rows = (("settings", " ".join(SETTINGS)),)
        raise Refusal(key, name=name, nearest=near, notes=rows, commands=("config",))

    def _read(self) -> str:
        self.values, self.troubles, self._broken = {}, [], None
        try:
            text = self.path.read_text("utf-8")
        except FileNotFoundError:
            return ""
        except (OSError, ValueError) as fault:
            self._spoilt("store-unreadable", reason=reason(fault))
            return ""
        try:
            found = tomllib.loads(text)
        except tomllib.TOMLDecodeError as fault:
            self._spoilt("settings-broken", **_told(fault, text))
            return ""
        for name, value in found.items():
            self._take(name, value, text)
        return text

    def _spoilt(self, key: str, **values: object) -> None:
        self._broken = Trouble(key, {"file": str(self.path), **values})
        self.troubles.append(self._broken)

    def _take(self, name: str, value: object, text: str) -> None:
        place = {"file": str(self.path), "line": _line_of(name, text), "name": name}
        if name not in SETTINGS:
            names = ", ".join(SETTINGS)
            self.troubles.append(Trouble("settings-unknown", {**place, "names": names}))
        elif isinstance(value, str) and _fits(value, SETTINGS[name]):
            self.values[name] = value
        else:
            key = "settings-choices" if SETTINGS[name] else "settings-text"
            wanted = ", ".join(SETTINGS[name])
            self.troubles.append(Trouble(key, {**place, "wanted": wanted}))

    def _write(self, text: str) -> None:
        # Whole or not at all, and never what we could not read ourselves.
        tomllib.loads(text)
        # A link to a file that is kept elsewhere stays one.
        write_whole(self.path.resolve(), text.encode())


def _fits(value: str, choices: tuple[str, ...]) -> bool:
    return value in choices if choices else bool(value.strip()) and value.isprintable()


def _meant(value: str, choices: tuple[str, ...]) -> str:
    """Return the choice that a value is another word for, or begins with; else the first."""
    low = value.lower()
    begun = next((one for one in choices if low.startswith(one)), choices[0])
    return next((one for one in choices if low in _OTHER_WORDS.get(one, ())), begun)


def _told(fault: tomllib.TOMLDecodeError, text: str) -> dict[str, object]:
    """What the parser says, and the line, which it puts at the end of its sentence."""
    message = str(fault)
    found = _PLACE.search(message)
    line = int(found[1]) if found and found[1] else text.count("\n") + 1
    return {"line": line, "reason": _PLACE.sub("", message)}


def _line_of(name: str, text: str) -> int:
    rows = text.splitlines()
    return next((at for at, row in enumerate(rows, 1) if _names(row, name)), 1)


def _names(row: str, name: str) -> bool:
    """Whether a row begins a setting, or a table, of this name."""
    return re.match(rf"\s*\[*\s*[\"']?{re.escape(name)}[\"']?\s*[=\].]", row) is not None


def _changed(text: str, name: str, value: str | None) -> str:
    """Return the text with one setting changed, and all else as it was, comments too."""
    rows = text.splitlines()
    kept = [at for at, row in enumerate(rows) if _names(row, name)]
    fresh = [] if value is None else [f"{name} = {json.dumps(value, ensure_ascii=False)}"]
    # Before what is there: behind a table, it would belong to it.
    at = kept[0] if kept else 0
    rows[at : at + len(kept[:1])] = fresh
    return "".join(f"{row}\n" for row in rows)
