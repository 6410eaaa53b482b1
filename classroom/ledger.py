"""What is judged already, on the disk as it comes, so that a round goes on where it stopped."""

from __future__ import annotations

import hashlib
import json
import os
import random
from pathlib import Path
from typing import Any

from ..checker import Report

__all__ = ["Ledger"]


class Ledger:
    """Reports by key, a line each in a file. seed: the round's, so that all get the same inputs.

    settings: what a report depends on beside the code. Those of another version, or judged under
    other settings, are left where they are and not counted.
    """

    def __init__(self, path: Path, settings: dict[str, Any], seed: int | None) -> None:
        self.path = path
        self.reports: dict[str, Report] = {}
        rows = self._rows()
        began = next((row["seed"] for row in rows if row.get("settings") == settings), None)
        self.seed = next(
            (one for one in (seed, began) if one is not None),
            random.SystemRandom().randrange(10**4),
        )
        self._salt = json.dumps([settings, self.seed], sort_keys=True)
        for row in rows:
            if "report" in row:
                self.reports[row["key"]] = Report.from_dict(row["report"])
        if began != self.seed:
            self._write({"settings": settings, "seed": self.seed})

    def key(self, kata: str, digest: str) -> str:
        """Return the key of one file's answer to one kata, by content."""
        return hashlib.sha256(f"{self._salt}\0{kata}\0{digest}".encode()).hexdigest()

    def add(self, key: str, report: Report) -> None:
        """Store a report before anything else is done with it."""
        if key not in self.reports:
            self.reports[key] = report
            self._write({"key": key, "report": report.to_dict()})

    def _write(self, row: dict[str, Any]) -> None:
        # A line begins on its own, also after one that was cut off.
        cut = self._cut()
        with self.path.open("ab") as stream:
            stream.write((b"\n" if cut else b"") + json.dumps(row).encode() + b"\n")
            stream.flush()
            os.fsync(stream.fileno())

    def _cut(self) -> bool:
        try:
            with self.path.open("rb") as stream:
                stream.seek(-1, os.SEEK_END)
                return stream.read(1) != b"\n"
        except OSError:
            return False

    def _rows(self) -> list[dict[str, Any]]:
        try:
            lines = self.path.read_text("utf-8").splitlines()
        except FileNotFoundError:
            return []
        rows: list[dict[str, Any]] = []
        for line in lines:
            try:
                row = json.loads(line)
            except ValueError:
                # What was being written as the power went.
                continue
            rows += [row] if isinstance(row, dict) else []
        return rows
