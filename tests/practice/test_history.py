"""The history keeps every check, and no fault of the database stops a command."""

import multiprocessing
import os
import sqlite3

import pytest
from attn_kata.checker.report import Diagnosis, Report
from attn_kata.practice.history import Attempt, History


def attempt(verdict="pass", kata="v1", file="v1.py"):
    """Make an attempt as a check would."""
    report = Report(
        kata=kata,
        file=file,
        verdict=verdict,
        diagnosis=[Diagnosis(mistake="scale-missing", message="…")],
        seed=3,
        elapsed_ms=5,
    )
    return Attempt.of(report, "abc")


def test_attempts_come_back(tmp_path):
    """What was stored is there for the next command, in SQLite's WAL mode."""
    History(tmp_path).add(attempt("fail"))
    History(tmp_path).add(attempt("pass"))
    History(tmp_path).add(attempt("error", kata="mha"))
    history = History(tmp_path)
    assert history.count() == 3
    assert history.standing() == {"v1": "passed", "mha": "tried"}
    with sqlite3.connect(history.path) as database:
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        row = database.execute("SELECT kata, mistakes, seed, source_hash FROM attempts").fetchone()
    database.close()
    assert row == ("v1", '["scale-missing"]', 3, "abc")
    assert not history.troubles


def test_reading_makes_no_file(tmp_path):
    """Looking at an empty history leaves the disk alone."""
    assert History(tmp_path / "new").standing() == {}
    assert not (tmp_path / "new").exists()


def newer(path):
    """A database of ours from a later version."""
    History(path.parent).add(attempt())
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 99")
    database.close()


def foreign(path):
    """Somebody else's database."""
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE theirs (x)")
    database.commit()
    database.close()


def no_database(path):
    """A file that is no database at all."""
    path.write_bytes(b"not a database, but long enough to be taken for one" * 40)


def no_columns(path):
    """Our mark on a table that is not ours."""
    History(path.parent).add(attempt())
    database = sqlite3.connect(path)
    database.execute("ALTER TABLE attempts DROP COLUMN source_hash")
    database.commit()
    database.close()


@pytest.mark.parametrize(
    ("spoil", "why"),
    [(newer, "newer"), (foreign, "foreign"), (no_database, "broken"), (no_columns, "broken")],
)
def test_unusable_database_is_kept_aside(spoil, why, tmp_path):
    """It goes on under another name with nothing lost, a new one is begun, and it is said."""
    path = tmp_path / "history.sqlite3"
    spoil(path)
    before = path.read_bytes()
    history = History(tmp_path)
    history.add(attempt())
    kept = tmp_path / f"history.sqlite3.{why}-1"
    assert kept.read_bytes() == before
    assert [trouble.key for trouble in history.troubles] == [f"history-{why}"]
    assert history.count() == 1
    for ending in ("", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    spoil(path)
    History(tmp_path).add(attempt())
    assert (tmp_path / f"history.sqlite3.{why}-2").exists()


def test_damage_in_the_middle_is_noticed_by_the_doctor(tmp_path):
    """A page overwritten after the header does not go unseen."""
    history = History(tmp_path)
    for _ in range(400):
        history.add(attempt(file="x" * 200))
    raw = bytearray(history.path.read_bytes())
    raw[len(raw) // 2 : len(raw) // 2 + 3000] = os.urandom(3000)
    history.path.write_bytes(bytes(raw))
    late = History(tmp_path)
    late.count()
    assert [trouble.key for trouble in late.troubles] == ["history-broken"]


@pytest.mark.parametrize("place", ["a file", "read-only"])
def test_home_that_cannot_be_written(place, tmp_path):
    """The check goes on, and it is said that it was not recorded."""
    folder = tmp_path / "home"
    if place == "a file":
        folder.write_text("x")
    else:
        if os.geteuid() == 0:
            pytest.skip("root writes everywhere")
        folder.mkdir(mode=0o500)
    history = History(folder)
    history.add(attempt())
    assert [trouble.key for trouble in history.troubles] == ["history-closed"]
    assert history.standing() == {}


def test_name_that_is_no_text(tmp_path):
    """A file whose name is not UTF-8 is recorded all the same."""
    history = History(tmp_path)
    history.add(attempt(file="caf\udce9.py"))
    assert history.count() == 1
    assert not history.troubles


def _add(folder, times):
    history = History(folder)
    for _ in range(times):
        history.add(attempt())
    assert not history.troubles, history.troubles


def test_commands_at_once_lose_nothing(tmp_path):
    """Four processes that find no database make one, and every attempt is in it."""
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=_add, args=(tmp_path, 10)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0, 0]
    assert History(tmp_path).count() == 40
