"""History and interviews lose nothing, and no fault of their database stops a command."""

import contextlib
import multiprocessing
import os
import resource
import signal
import sqlite3

import pytest
from attn_kata.checker.report.report import Report
from attn_kata.practice import database
from attn_kata.practice.history import Attempt, History
from attn_kata.practice.interview.clock import Reading
from attn_kata.practice.interview.store import Event, Store

READING = Reading(wall=1.0, steady=2.0, awake=2.0, boot="b")


class Checks:
    """The history: a record is an attempt."""

    records = History
    table, column = "attempts", "source_hash"

    @staticmethod
    def add(history, text="v1.py"):
        """Put one more on record."""
        return history.add(Attempt.of(Report(kata="v1", file=text, verdict="pass"), "abc"))

    @staticmethod
    def count(history):
        """Count what is on record."""
        return history.count()


class Interviews:
    """The interviews: a record is one interview's event."""

    records = Store
    table, column = "events", "data"

    @staticmethod
    def add(store, text="why?"):
        """Put one more on record, each an interview of its own."""
        return store.add(store.new(), Event("begin", READING, {"text": text}))

    @staticmethod
    def count(store):
        """Count what is on record, having read it all."""
        return len([event for number in store.numbers() for event in store.events(number)])


@pytest.fixture(params=[Checks, Interviews])
def kind(request):
    """What the records are of."""
    return request.param


def keys(records):
    """Return the troubles by key."""
    return [trouble.key for trouble in records.troubles]


def in_a_child(task, *args):
    """Return what a task puts into its queue, in a process that may be spoilt."""
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    worker = context.Process(target=task, args=(*args, answers))
    worker.start()
    answer = answers.get(timeout=120)
    worker.join()
    return answer


def altered(kind, path, statement):
    """Make a database of ours and change it."""
    kind.add(kind.records(path.parent))
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()


def newer(kind, path):
    """A database of ours from a later version."""
    altered(kind, path, "PRAGMA user_version = 99")


def no_columns(kind, path):
    """Our mark on a table that is not ours."""
    altered(kind, path, f"ALTER TABLE {kind.table} DROP COLUMN {kind.column}")


def foreign(kind, path):
    """Somebody else's database."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE theirs (x)")
        connection.commit()


def no_database(kind, path):
    """A file that is no database at all."""
    path.write_bytes(b"not a database, but long enough to be taken for one" * 40)


def the_other(kind, path):
    """A database of ours that holds the other records."""
    other = Interviews if kind is Checks else Checks
    folder = path.parent / "other"
    made = other.records(folder)
    other.add(made)
    made.path.rename(path)


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (newer, "newer"),
        (foreign, "foreign"),
        (the_other, "foreign"),
        (no_database, "broken"),
        (no_columns, "broken"),
    ],
)
def test_unusable_database_is_kept_aside(kind, spoil, why, tmp_path):
    """It goes on under another name with nothing lost, a new one is begun, and it is said."""
    records = kind.records(tmp_path)
    path = records.path
    spoil(kind, path)
    before = path.read_bytes()
    kind.add(records)
    assert path.with_name(f"{path.name}.{why}-1").read_bytes() == before
    assert keys(records) == [f"{records.called}-{why}"]
    assert kind.count(records) == 1
    for ending in ("", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    spoil(kind, path)
    kind.add(kind.records(tmp_path))
    assert path.with_name(f"{path.name}.{why}-2").exists()


def filled_and_damaged(kind, folder):
    """Make a database of many pages and spoil those in the middle; the head looks well."""
    records = kind.records(folder)
    for _ in range(200):
        kind.add(records, "x" * 400)
    raw = bytearray(records.path.read_bytes())
    raw[8192 : len(raw) - 4096] = os.urandom(len(raw) - 8192 - 4096)
    records.path.write_bytes(bytes(raw))


def test_damage_in_the_middle(kind, tmp_path):
    """Pages overwritten after the head are noticed where they are read, and kept aside."""
    filled_and_damaged(kind, tmp_path)
    late = kind.records(tmp_path)
    assert kind.count(late) == 0
    assert keys(late) == [f"{late.called}-broken"]
    assert kind.add(late)
    assert kind.count(late) == 1


def test_interview_whose_database_is_damaged_under_it(tmp_path):
    """It goes on in a new database, which holds it from its first event on."""
    filled_and_damaged(Interviews, tmp_path / "old")
    store = Store(tmp_path)
    first, second = (Event(kind, READING, {"text": kind}) for kind in ("begin", "opened"))
    assert store.add(7, first)
    store.path.write_bytes((tmp_path / "old" / store.name).read_bytes())
    assert store.add(7, second)
    assert keys(store) == ["interviews-broken"]
    assert Store(tmp_path).events(7) == [first, second]


def test_event_that_could_not_be_stored_goes_with_the_next(tmp_path):
    """An interview has no hole where the disk was full for a while, and no event twice."""
    store = Store(tmp_path / "home")
    events = [Event(kind, READING, {}) for kind in ("begin", "opened", "asked", "left")]
    assert store.add(1, events[0])
    home = (tmp_path / "home").rename(tmp_path / "away")
    (tmp_path / "home").write_text("in its place")
    assert not store.add(1, events[1])
    assert keys(store) == ["interviews-closed"]
    (tmp_path / "home").unlink()
    home.rename(tmp_path / "home")
    assert store.add(1, events[2])
    resumed = Store(tmp_path / "home")
    assert resumed.events(1) == events[:3]
    assert resumed.add(1, events[3])
    assert resumed.events(1) == events


def test_number_that_another_interview_has(tmp_path):
    """Nothing is written into an interview that is another one."""
    begun = Event("begin", READING, {})
    assert Store(tmp_path).add(1, begun)
    late = Store(tmp_path)
    assert not late.add(1, Event("begin", Reading(wall=9, steady=9, awake=9, boot="b"), {}))
    assert keys(late) == ["interviews-closed"]
    assert Store(tmp_path).events(1) == [begun]


VERSION_1_OF_INTERVIEWS = """
CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    interview INTEGER NOT NULL,
    kind TEXT NOT NULL,
    reading TEXT NOT NULL,
    data TEXT NOT NULL
);
INSERT INTO events VALUES
    (1, 1, 'begin', '{"wall": 1.0, "steady": 2.0, "awake": 2.0, "boot": "b"}', '{"plan": "mha"}'),
    (2, 1, 'ended', '{"wall": 1.0, "steady": 2.0, "awake": 2.0, "boot": "b"}', '{"why": "time"}'),
    (3, 2, 'begin', '{"wall": 1.0, "steady": 2.0, "awake": 2.0, "boot": "b"}', '{"plan": "v1"}');
PRAGMA application_id = 0x61746B69;
PRAGMA user_version = 1;
"""


def test_interviews_of_the_first_release(tmp_path):
    """Its database opens where it is, with every event as it was, and takes more."""
    path = tmp_path / "interviews.sqlite3"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(VERSION_1_OF_INTERVIEWS)
    store = Store(tmp_path)
    assert store.numbers() == [1, 2]
    assert store.unfinished() == 2
    begun = Event("begin", READING, {"plan": "v1"})
    assert store.events(2) == [begun]
    opened = Event("opened", READING, {"file": "attention.py"})
    assert store.add(2, opened)
    assert store.events(2) == [begun, opened]
    assert not store.troubles
    assert list(tmp_path.glob("*-1")) == []


@pytest.mark.parametrize("place", ["a file", "read-only"])
def test_home_that_cannot_be_written(kind, place, tmp_path):
    """The command goes on, and it is said once that nothing is recorded."""
    folder = tmp_path / "home"
    if place == "a file":
        folder.write_text("x")
    else:
        if os.geteuid() == 0:
            pytest.skip("root writes everywhere")
        folder.mkdir(mode=0o500)
    records = kind.records(folder)
    kind.add(records)
    kind.add(records)
    assert keys(records) == [f"{records.called}-closed"]
    assert kind.count(records) == 0


def test_database_that_does_not_open(kind, tmp_path):
    """What cannot be read is said, and what cannot be stored says it too: one sentence."""
    records = kind.records(tmp_path)
    records.path.mkdir()
    assert kind.count(records) == 0
    assert keys(records) == [f"{records.called}-unread"]
    assert not kind.add(records)
    kind.count(records)
    assert keys(records) == [f"{records.called}-closed"]


def _as_a_reader(kind, folder, answers):
    if os.geteuid() == 0:
        os.setgid(65534)
        os.setuid(65534)
    records = kind.records(folder)
    found = kind.count(records), keys(records)
    answers.put((*found, bool(kind.add(records)), keys(records)))


def test_home_that_can_only_be_read(kind, tmp_path_factory):
    """What is on record is shown, without a word; that more is not recorded, is said."""
    folder = tmp_path_factory.mktemp("shared")
    for parent in folder.parents[:3]:
        parent.chmod(0o755)
    kind.add(kind.records(folder))
    for file in folder.iterdir():
        file.chmod(0o444)
    folder.chmod(0o555)
    found = in_a_child(_as_a_reader, kind, folder)
    folder.chmod(0o755)
    assert found == (1, [], False, [f"{kind.records.called}-closed"])


def _on_a_full_disk(kind, folder, answers):
    # Files may not grow: to SQLite that is a disk without room.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    records = kind.records(folder)
    answers.put((bool(kind.add(records)), keys(records)))


def test_full_disk(kind, tmp_path):
    """It is said that nothing is recorded, and what was is not lost."""
    for _ in range(3):
        kind.add(kind.records(tmp_path))
    assert in_a_child(_on_a_full_disk, kind, tmp_path) == (False, [f"{kind.records.called}-closed"])
    records = kind.records(tmp_path)
    assert kind.count(records) == 3
    assert kind.add(records)
    assert not records.troubles


def test_full_by_sqlite_s_own_word(kind, tmp_path, monkeypatch):
    """SQLite's `database or disk is full` is said as it is."""
    kind.add(kind.records(tmp_path))
    opened = database.connect

    @contextlib.contextmanager
    def small(path, layout, *, writing):
        with opened(path, layout, writing=writing) as connection:
            connection.execute("PRAGMA max_page_count = 1")
            yield connection

    monkeypatch.setattr(database, "connect", small)
    records = kind.records(tmp_path)
    for _ in range(20):
        kind.add(records, "x" * 900)
    assert "full" in str(records.troubles[0].values["reason"])
    monkeypatch.undo()
    assert not kind.records(tmp_path).troubles


def _add(kind, folder, barrier, answers):
    barrier.wait()
    records = kind.records(folder)
    for number in range(5):
        if kind is Interviews:
            # Only one interview is led at a time; here each process has numbers of its own.
            records.add(os.getpid() * 10 + number, Event("begin", READING, {}))
        else:
            kind.add(records)
    answers.put(keys(records))


@pytest.mark.parametrize("old", [None, no_database])
def test_many_commands_at_once(kind, old, tmp_path):
    """One of them makes it or sets it aside; no one loses what another has just written."""
    if old is not None:
        old(kind, kind.records(tmp_path).path)
    context = multiprocessing.get_context("fork")
    barrier, answers = context.Barrier(6), context.Queue()
    workers = [
        context.Process(target=_add, args=(kind, tmp_path, barrier, answers)) for _ in range(6)
    ]
    for worker in workers:
        worker.start()
    said = [answers.get(timeout=120) for _ in workers]
    for worker in workers:
        worker.join()
    assert sorted(said) == [[]] * (5 if old else 6) + [[f"{kind.records.called}-broken"]] * bool(
        old
    )
    assert kind.count(kind.records(tmp_path)) == 30


def test_set_aside_by_another_command_meanwhile(kind, tmp_path, monkeypatch):
    """The file that was there at the look and is not at the opening is made anew."""
    records = kind.records(tmp_path)
    kind.add(records)
    opened, left = database.connect, [1]

    def gone(path, layout, *, writing):
        if left:
            left.pop()
            path.rename(f"{path}.broken-1")
        return opened(path, layout, writing=writing)

    monkeypatch.setattr(database, "connect", gone)
    late = kind.records(tmp_path)
    if kind is Interviews:
        assert late.add(2, Event("begin", READING, {}))
    else:
        assert kind.add(late)
    assert not left
    assert not late.troubles
    assert kind.count(late) == 1
