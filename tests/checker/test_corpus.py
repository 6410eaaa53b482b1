"""Every file of the corpora gets the verdict that its first line asks for."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from attn_kata.checker.client import Bench, Options
from attn_kata.checker.report.report import Report
from attn_kata.dev.standin import standing
from attn_kata.kata.catalogue import find, katas
from attn_kata.sentences.wording import worded

CORPUS = Path(__file__).parent.parent / "corpus"
SIDES = ("right", "wrong")


@dataclass(frozen=True)
class Entry:
    """A corpus file and what its first line says."""

    path: Path
    side: str
    kata: str
    rest: str

    @property
    def remarks(self) -> set[str]:
        """The remarks that must appear."""
        _, _, listed = self.rest.partition("remarks:")
        return set(re.findall(r"[a-z][a-z-]+", listed))

    def fair(self, mistake: str) -> set[int]:
        """The lines that its second line lists as fair to point at."""
        lines = self.path.read_text("utf-8").split("\n", 2)
        second = lines[1] if lines[1].startswith("# fair:") else ""
        found = re.search(rf"{mistake}:?((?:[ ,]+\d+)+)", second)
        return {int(line) for line in re.findall(r"\d+", found[1])} if found else set()


def first_line(path: Path) -> str:
    """Return a file's first line of code."""
    text = path.read_text("utf-8")
    if path.suffix == ".ipynb":
        cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
        text = "".join(cells[0]["source"])
    return text.split("\n", 1)[0]


@cache
def entries(side: str) -> list[Entry]:
    """Read one side of the corpora by its headers; what cannot be judged here is left out."""
    found = []
    for path in sorted((CORPUS / side).iterdir()):
        match = re.match(r"#\s*(right|wrong):\s*([\w-]+)(.*)", first_line(path))
        assert match is not None, f"{path.name}: give it a first line such as '# {side}: mha'"
        assert match[1] == side, f"{path.name} lies in the wrong folder"
        if not find(match[2]).lacking:
            found.append(Entry(path, side, match[2], match[3]))
    return found


class Judged(Mapping[Path, Report]):
    """Reports as they are asked for: two warm judges work through the files that tests ask about.

    wanted: those files, in the order of the tests; what else is asked for comes after them.
    """

    def __init__(self, bench: Bench, wanted: list[Entry], device: str = "auto") -> None:
        self.bench = bench
        self.options = Options(seed=11, timeout=60, device=device)
        self.katas = {entry.path: entry.kata for side in SIDES for entry in entries(side)}
        self.found: dict[Path, Report] = {}
        self.coming = self._judge([entry.path for entry in wanted])

    def __getitem__(self, path: Path) -> Report:
        while path not in self.found:
            done = next(self.coming, None)
            if done is None:
                self.coming = self._judge([one for one in self if one not in self.found])
        return self.found[path]

    def __iter__(self) -> Iterator[Path]:
        return iter(self.katas)

    def __len__(self) -> int:
        return len(self.katas)

    def _judge(self, paths: Iterable[Path]) -> Iterator[Path]:
        for kata, group in groupby(paths, key=self.katas.__getitem__):
            mine = list(group)
            for path, report in zip(mine, self.bench.judge(kata, mine, self.options), strict=True):
                self.found[path] = report
                yield path


def wanted(request: pytest.FixtureRequest) -> list[Entry]:
    """The files about which a test of this module is to be run, as `-k` has chosen them."""
    items = (item for item in request.session.items if item.path == request.path)
    calls: list[Any] = [getattr(item, "callspec", None) for item in items]
    return list(dict.fromkeys(call.params["entry"] for call in calls if call is not None))


@pytest.fixture(scope="module")
def reports(request: pytest.FixtureRequest) -> Iterator[Judged]:
    """The verdicts without a GPU, whatever the machine has."""
    with Bench(2) as bench:
        yield Judged(bench, wanted(request), "cpu")


@pytest.fixture(scope="module")
def gpu_reports(request: pytest.FixtureRequest) -> Iterator[Judged]:
    """The verdicts with a GPU."""
    with Bench(2) as bench:
        yield Judged(bench, wanted(request), "cuda")


def why(report: Report) -> str:
    """Say why a report is no pass."""
    report = worded(report, "en")
    failed = [f"{check.id}: {check.detail}" for check in report.checks if check.status == "fail"]
    fault = report.error.message if report.error else ""
    return "; ".join([report.verdict, str(fault), *failed])


@pytest.mark.enumeration
@pytest.mark.parametrize("entry", entries("right"), ids=lambda entry: entry.path.name)
def test_right(entry: Entry, reports: Judged) -> None:
    """A right file passes, and earns the remarks that its header lists."""
    report = reports[entry.path]
    assert report.verdict == "pass", why(report)
    assert entry.remarks <= {remark.id for remark in report.remarks}


@pytest.mark.enumeration
@pytest.mark.parametrize("entry", entries("wrong"), ids=lambda entry: entry.path.name)
def test_wrong(entry: Entry, reports: Judged) -> None:
    """A wrong file fails, or is an error where its header says that it cannot run."""
    report = reports[entry.path]
    assert report.verdict == ("error" if "(error)" in entry.rest else "fail"), why(report)


@pytest.mark.cuda
@pytest.mark.enumeration
@pytest.mark.parametrize("entry", entries("right"), ids=lambda entry: entry.path.name)
def test_right_on_a_gpu(entry: Entry, gpu_reports: Judged) -> None:
    """A right file passes on a GPU too, and was run there."""
    report = gpu_reports[entry.path]
    assert report.verdict == "pass", why(report)
    assert report.device["cuda"] == "ran"
    assert report.device["name"]


@pytest.mark.cuda
@pytest.mark.enumeration
@pytest.mark.parametrize("entry", entries("wrong"), ids=lambda entry: entry.path.name)
def test_wrong_on_a_gpu(entry: Entry, gpu_reports: Judged, reports: Judged) -> None:
    """A wrong file has the verdict and the mistakes that it has without one."""
    with_gpu, without = gpu_reports[entry.path], reports[entry.path]
    assert with_gpu.verdict == without.verdict, why(with_gpu)
    assert [d.mistake for d in with_gpu.diagnosis] == [d.mistake for d in without.diagnosis]


@pytest.mark.slow
def test_right_where_a_gpu_stands() -> None:
    """With the CPU standing in for a GPU every right file passes a second time, in float32."""
    right = entries("right")
    with standing(judges=2) as bench:
        judged = Judged(bench, right)
        found = {entry.path: judged[entry.path] for entry in right}
    wrong = {path.name: why(report) for path, report in found.items() if report.verdict != "pass"}
    assert wrong == {}
    assert {report.device["cuda"] for report in found.values()} == {"ran"}


@pytest.mark.whole
def test_most_mistakes_are_named(reports: Judged) -> None:
    """Of 100 single mistakes 92 are named first, of 100 double ones 88 are named whole."""
    single, double = [], []
    for entry in entries("wrong"):
        wanted = re.findall(r"([a-z][a-z-]+) line \d+", entry.rest)
        found = [one.mistake for one in reports[entry.path].diagnosis]
        if len(wanted) == 1:
            single.append(found[:1] == wanted)
        elif wanted:
            double.append(set(wanted) <= set(found))
    assert sum(single) >= 0.92 * len(single)
    assert sum(double) >= 0.88 * len(double)


@pytest.mark.whole
def test_most_lines_are_found(reports: Judged) -> None:
    """Of 100 single mistakes 87 are pointed at on a line that a reviewer would point at."""
    hits = []
    for entry in entries("wrong"):
        wanted = re.findall(r"([a-z][a-z-]+) line (\d+)", entry.rest)
        if len(wanted) == 1:
            name, line = wanted[0]
            fair = {int(line), *entry.fair(name)}
            found = reports[entry.path].diagnosis
            hits.append(any(one.mistake == name and one.line in fair for one in found))
    assert sum(hits) >= 0.87 * len(hits)


def test_the_corpora_cover_every_kata() -> None:
    """Both corpora hold files of every kata, 8 of each side and kata at least."""
    for side in SIDES:
        counts = Counter(entry.kata for entry in entries(side))
        assert set(counts) == {kata.id for kata in katas() if not kata.lacking}
        assert min(counts.values()) >= 8, counts
