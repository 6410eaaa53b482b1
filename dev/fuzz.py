"""Look for wrong verdicts in files that are written otherwise by a seed.

Right files and wrong ones are rewritten, each is proved equal to the file that it came from, and
the judge is asked. Printed are wrong verdicts, mistakes under a wrong name or none, wrong lines,
and for each the fewest passes that show it. The exit status is 1 where a verdict is wrong.

    python -m attn_kata.dev.fuzz 500 [--kata mha] [--seed 1] [--keep FOLDER]
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from ..checker import Bench, Options, Report
from ..kata.catalogue import Kata, find, katas
from ..kata.functions import Memory
from ..sentences.wording import sentence
from .rewrite import rewrite
from .rewrite.compose import OPERATORS, Rewritten, chosen
from .rewrite.originals import Original, right, wrong
from .rewrite.proof import Recording, Unproved

__all__ = ["Finding", "Fuzzer", "Tried", "fault_of", "main"]

KINDS = ("verdict", "name", "line")
# Where what is too large is told too, it is told besides.
_BESIDES = {"tensor-too-large", "state-too-large"}
_SEED = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One file that was written otherwise and proved."""

    original: Original
    seed: int
    made: Rewritten


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What the judge got wrong in a file.

    kind: one of KINDS. said: what it said; shortest: the fewest passes with which it still does.
    """

    tried: Tried
    kind: str
    said: str
    shortest: tuple[str, ...] = ()

    @property
    def cause(self) -> tuple[str, ...]:
        """Findings of one cause, by their looks."""
        original = self.tried.original
        said = self.said if self.kind == "name" else ""
        return original.kata, self.kind, original.name, said


def fault_of(original: Original, made: Rewritten, report: Report) -> tuple[str, str] | None:
    """Return what is wrong with a report, as a kind and what was said; None where nothing is."""
    if not original.mistakes:
        if report.verdict == "pass":
            return None
        names = [one.mistake for one in report.diagnosis]
        failed = [check.id for check in report.checks if check.status == "fail"]
        error = [sentence(report.error.message, "en")] if report.error else []
        return "verdict", f"right, {report.verdict}: {', '.join(names or error or failed)}"
    if report.verdict == "pass":
        return "verdict", f"wrong, pass: {', '.join(original.mistakes)}"
    told = [one.mistake for one in report.diagnosis]
    first = next((name for name in told if name not in _BESIDES or len(told) == 1), "nothing")
    if first not in original.mistakes:
        return "name", f"{' or '.join(original.mistakes)} told as {first}"
    lines = {made.lines[line] for line in original.mistakes[first]}
    told_lines = {one.line for one in report.diagnosis if one.mistake == first}
    if lines and not lines & told_lines:
        said = ", ".join(sorted(str(line) for line in told_lines))
        return "line", f"{first} told at {said}, is at {', '.join(map(str, sorted(lines)))}"
    return None


def free_passes(kata: str, seed: int) -> tuple[str, ...]:
    """Return the passes that a seed chooses, as far as a kata leaves them free."""
    ruled = any(
        one.rules.never or one.rules.must or one.memory != Memory()
        for one in find(kata).asked.functions
    )
    kept = OPERATORS if ruled else set[str]()
    structured = find(kata).promised
    if structured is not None and structured.fused:
        kept = kept | {"apart", "keyed"}
    return tuple(name for name in chosen(seed) if name not in kept)


class Fuzzer:
    """Rewrites, proves and judges. bench: warm judges. folder: where files go to be judged."""

    def __init__(self, bench: Bench, folder: Path) -> None:
        self.bench = bench
        self.folder = folder
        self.unproved: list[str] = []
        self.recordings: dict[tuple[str, str], Recording] = {}

    def run(self, kata: Kata, count: int, seed: int) -> tuple[list[Tried], list[Finding]]:
        """Try a number of a kata's files, right and wrong by turns."""
        rng = random.Random(f"{kata.id} {seed}")  # noqa: S311 - no secret
        sides = [[*right(kata)], [*wrong(kata)]]
        drawn = [(rng.choice(sides[turn % 2]), rng.randrange(10**6)) for turn in range(count)]
        self.recordings = {}
        tried: list[Tried] = []
        for original, number in sorted(drawn, key=lambda one: one[0].name):
            one = self.proved(original, number)
            if one is not None:
                tried.append(one)
        return tried, [*self._found(kata, tried)]

    def proved(
        self, original: Original, seed: int, passes: Sequence[str] | None = None
    ) -> Tried | None:
        """Write a file otherwise; None where that changes nothing, or is not proved."""
        where = f"{original.kata} {original.name} seed {seed}"
        try:
            some = free_passes(original.kata, seed) if passes is None else passes
            if "query-key-swapped" in original.mistakes:
                # In one layer, or a list, without names the two may lie in either order.
                some = [name for name in some if name not in {"fused", "listed"}]
            made = rewrite(original.source, seed=seed, follow=original.lines, passes=some)
            if made.passes:
                self._recording(original).hold(made.source)
        except Unproved as reason:
            self.unproved.append(f"{where}: {reason}")
            return None
        return Tried(original=original, seed=seed, made=made)

    def _recording(self, original: Original) -> Recording:
        key = original.kata, original.name
        if key not in self.recordings:
            # One at a time: it holds every tensor of a judging.
            self.recordings = {key: Recording(original.kata, original.source, _SEED)}
        return self.recordings[key]

    def judged(self, kata: str, tried: Sequence[Tried]) -> Iterator[Report]:
        """Yield a report each."""
        paths = [self.folder / f"{kata}_{number}.py" for number in range(len(tried))]
        for path, one in zip(paths, tried, strict=True):
            path.write_text(one.made.source, "utf-8")
        yield from self.bench.judge(kata, paths, Options(seed=_SEED, timeout=60, device="cpu"))

    def _found(self, kata: Kata, tried: Sequence[Tried]) -> Iterator[Finding]:
        for one, report in zip(tried, self.judged(kata.id, tried), strict=True):
            fault = fault_of(one.original, one.made, report)
            if fault is not None:
                yield Finding(tried=one, kind=fault[0], said=fault[1])

    def shortened(self, finding: Finding) -> Finding:
        """Leave out passes as long as the judge is wrong in the same manner."""
        passes = finding.tried.made.passes
        few = ((), *((name,) for name in passes))
        short = next((found for some in few if (found := self._shows(finding, some))), None)
        if short is not None:
            return short
        for name in passes:
            rest = tuple(one for one in finding.shortest or passes if one != name)
            finding = self._shows(finding, rest) or finding
        return finding if finding.shortest else replace(finding, shortest=passes)

    def _shows(self, finding: Finding, passes: Sequence[str]) -> Finding | None:
        """Return what the judge gets wrong after these passes alone, if it is of the same kind."""
        one = self.proved(finding.tried.original, finding.tried.seed, passes)
        if one is None or set(one.made.passes) != set(passes):
            return None
        report = next(self.judged(one.original.kata, [one]))
        kind, said = fault_of(one.original, one.made, report) or ("", "")
        if kind != finding.kind:
            return None
        return Finding(tried=finding.tried, kind=kind, said=said, shortest=tuple(passes))


def main() -> int:
    """Try so many files, print what was found, and return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("count", type=int, help="how many files, over all katas")
    parser.add_argument("--kata", action="append", help="only this one; may be repeated")
    parser.add_argument("--seed", type=int, default=None, help="the same files again")
    parser.add_argument("--keep", type=Path, help="where files that were misjudged are written")
    options = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    seed = random.SystemRandom().randrange(10**4) if options.seed is None else options.seed
    # A kernel is read from its file as it stands, in words of its own.
    every = [kata for kata in katas() if not kata.kernels]
    chosen = [find(name) for name in options.kata] if options.kata else every
    print(f"seed {seed}")
    with Bench() as bench, tempfile.TemporaryDirectory() as folder:
        fuzzer = Fuzzer(bench, Path(folder))
        print(
            f"{'kata':<14}{'files':>6}{'unproved':>10}{'verdict':>9}{'name':>6}{'line':>6}{'s':>7}"
        )
        total: Counter[str] = Counter()
        for number, kata in enumerate(chosen):
            share = options.count // len(chosen) + (number < options.count % len(chosen))
            row, here = _tried(fuzzer, kata, share, seed)
            total.update(row)
            _print_row(kata.id, row)
            # At once: many files take hours, and who stops them keeps what was found.
            for finding in _each_cause(here):
                _print_finding(fuzzer.shortened(finding), here, options.keep)
        _print_row("all", total)
        print(*(f"unproved: {reason}" for reason in fuzzer.unproved[:10]), sep="\n")
    return 1 if total["verdict"] else 0


def _tried(fuzzer: Fuzzer, kata: Kata, count: int, seed: int) -> tuple[Counter[str], list[Finding]]:
    start = time.monotonic()
    before = len(fuzzer.unproved)
    tried, found = fuzzer.run(kata, count, seed)
    row = Counter(finding.kind for finding in found)
    row["files"] = len(tried)
    row["unproved"] = len(fuzzer.unproved) - before
    row["s"] = round(time.monotonic() - start)
    return row, found


def _print_row(name: str, row: Counter[str]) -> None:
    print(
        f"{name:<14}{row['files']:>6}{row['unproved']:>10}{row['verdict']:>9}{row['name']:>6}"
        f"{row['line']:>6}{row['s']:>7}",
        flush=True,
    )


def _each_cause(found: Sequence[Finding]) -> Iterator[Finding]:
    """Yield one finding of each cause, wrong verdicts first."""
    by_cause: dict[tuple[str, ...], Finding] = {}
    for finding in sorted(
        found, key=lambda one: (KINDS.index(one.kind), len(one.tried.made.passes))
    ):
        by_cause.setdefault(finding.cause, finding)
    yield from by_cause.values()


def _print_finding(finding: Finding, found: Sequence[Finding], keep: Path | None) -> None:
    alike = sum(one.cause == finding.cause for one in found)
    original = finding.tried.original
    passes = " ".join(finding.shortest) or "as it was"
    print(f"{finding.kind:<8}{original.kata} {original.name} seed {finding.tried.seed} ({alike})")
    print(f"        {finding.said}\n        shown by: {passes}", flush=True)
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        made = rewrite(
            original.source, seed=finding.tried.seed, follow=original.lines,
            passes=finding.shortest,
        )  # fmt: skip
        stem = f"{original.kata}_{finding.kind}_{original.name.removesuffix('.py')}"
        path = keep / f"{stem.replace(' ', '-')}_{finding.tried.seed}.py"
        path.write_text(made.source, "utf-8")
        print(f"        {path}")


if __name__ == "__main__":
    sys.exit(main())
