"""Have answers judged: here, on all processors, or by the workers of a Dask cluster."""

from __future__ import annotations

import select
import socket
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ..checker import Bench, Died, Options, Report, Underway, lost
from .collect import Answer

__all__ = ["Job", "here", "on_cluster"]

# A judge that is lost is the machine's fault the first time, the file's the second.
_TRIES = 2
# Seconds until a scheduler that says nothing is not there.
_PATIENCE = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """An answer to be judged, and the key under which its report stands."""

    key: str
    answer: Answer


def here(jobs: Sequence[Job], options: Options, judges: int) -> Iterator[tuple[str, Report]]:
    """Judge on this machine, and yield each report as it comes."""
    waiting = [(job, 1) for job in jobs]
    with Bench(min(judges, max(1, len(jobs)))) as bench:
        working: dict[Underway, tuple[Job, int]] = {}
        while waiting or working:
            while waiting and len(working) < bench.count:
                job, turn = waiting.pop(0)
                begun = bench.begin(job.answer.kata, job.answer.path, options)
                working[begun] = (job, turn)
            for begun in select.select(list(working), [], [])[0]:
                job, turn = working.pop(begun)
                try:
                    yield job.key, begun.report()
                except Died:
                    if turn < _TRIES:
                        waiting.append((job, turn + 1))
                    else:
                        yield job.key, lost(job.answer.kata, job.answer.file)


def on_cluster(jobs: Sequence[Job], options: Options, address: str) -> Iterator[tuple[str, Report]]:
    """Judge on the workers of a Dask scheduler, and yield each report as it comes.

    A job carries the files, so that nothing is shared but the network. The work of one that goes
    away is another's; what ends one worker after the other comes back as an error.
    """
    from distributed import Client, as_completed

    _knock(address)
    with Client(address, timeout=_PATIENCE) as client:
        # Only what is judged by content is named, so that no job is there twice.
        names = {f"attn-kata-{job.key}": job for job in jobs}
        carried = {name: _carried(job) for name, job in names.items()}
        futures = [
            client.submit(_at_a_worker, given, options, key=name)
            for name, given in carried.items()
            if given["file"] in given["files"]
        ]
        for future in as_completed(futures):
            job = names[str(future.key)]
            if future.status == "finished":
                yield job.key, Report.from_dict(future.result())
            else:
                yield job.key, lost(job.answer.kata, job.answer.file)
            future.release()
        # What cannot be read here is not carried there, and here it is told why.
        unread = [names[name] for name, one in carried.items() if one["file"] not in one["files"]]
        yield from here(unread, options, 1) if unread else ()


def _knock(address: str) -> None:
    """Raise OSError where nobody listens: a client of Dask's keeps trying for all of its time."""
    place = urlsplit(address if "://" in address else f"tcp://{address}")
    if place.scheme in {"tcp", "tls"} and place.hostname and place.port:
        socket.create_connection((place.hostname, place.port), _PATIENCE).close()


def _carried(job: Job) -> dict[str, Any]:
    files: dict[str, bytes] = {}
    for name, file in job.answer.beside.items():
        with suppress(OSError):
            if file.is_file():
                files[name] = file.read_bytes()
    return {"kata": job.answer.kata, "file": job.answer.file, "files": files}


_bench: Bench | None = None
_turns = threading.Lock()


def _at_a_worker(job: dict[str, Any], options: Options) -> dict[str, Any]:
    """Judge one answer in a worker's process, which keeps its judge for the next."""
    global _bench  # noqa: PLW0603 - one for the process, as a worker lives
    with _turns, tempfile.TemporaryDirectory(prefix="attn-kata-") as folder:
        for name, content in job["files"].items():
            file = Path(folder, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        _bench = _bench or Bench()
        try:
            report = _bench.begin(job["kata"], Path(folder, job["file"]), options).report()
        except Died:
            report = lost(job["kata"], job["file"])
        return report.to_dict()
