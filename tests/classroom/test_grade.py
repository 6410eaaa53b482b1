"""A round, from the command to its files."""

import csv
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

pytestmark = pytest.mark.usefixtures("shared_judge")

PROGRAM = "import sys; from attn_kata.cli import main; sys.exit(main())"


@pytest.fixture
def work(tmp_path, root):
    """A class of five."""
    folder = tmp_path / "class"
    folder.mkdir()
    right, wrong = (
        (root / "examples" / f"{name}_mha.py").read_text("utf-8") for name in ("right", "wrong")
    )
    (folder / "ann.py").write_text(right)
    (folder / "bob.py").write_text(wrong)
    (folder / "cid.py").write_text(f"# by myself\n{wrong}")
    (folder / "=dan.py").write_text("x = 1\n")
    (folder / "<b>eva.py").write_text(wrong)
    return tmp_path


@pytest.fixture
def grade(work, surroundings):
    """Grade it."""

    def run(*arguments, **environment):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, "grade", "class", *arguments], cwd=work, check=False,
            env={**os.environ, "ATTN_KATA_HOME": str(work / "home"), **environment},
            capture_output=True, text=True, encoding="utf-8", timeout=300,
        )  # fmt: skip
        assert "Traceback" not in done.stderr, done.stderr
        return done

    return run


def test_a_round(grade, work):
    """Four files tell the same; a name is text in each; equal code is pointed out; it goes on."""
    done = grade("--seed", "7", "--out", "out")
    assert done.returncode == 0, done.stderr
    assert "5 submissions, 5 answers: 1 pass, 3 fail, 0 error, 1 not judged" in done.stdout
    rows = {
        row["file"]: row
        for row in csv.DictReader((work / "out/grade.csv").read_text("utf-8").splitlines())
    }
    assert {name: row["verdict"] for name, row in rows.items()} == {
        "ann.py": "pass", "bob.py": "fail", "cid.py": "fail", "'=dan.py": "none",
        "<b>eva.py": "fail",
    }  # fmt: skip
    bob, cid = rows["bob.py"], rows["cid.py"]
    assert (bob["mistake"], bob["line"], cid["line"]) == ("scale-by-hidden-dim", "31", "32")
    assert bob["same_code_as"] == "<b>eva; cid"
    told = json.loads((work / "out/grade.json").read_text())
    assert told["counts"] == {"mha": {"fail": 3, "pass": 1}}
    assert told["mistakes"][0]["submissions"] == ["<b>eva", "bob", "cid"]
    assert [one["report"]["seed"] for one in told["answers"] if one["report"]] == [7] * 4
    page = (work / "out/grade.html").read_text()
    assert "&lt;b&gt;eva" in page
    assert "<b>eva" not in page
    assert "<script" not in page
    assert 'class="hll"' in page
    suites = ET.fromstring((work / "out/grade.xml").read_text().partition("\n")[2])
    assert (suites.get("tests"), suites.get("failures"), suites.get("errors")) == ("5", "3", "1")
    lines = (work / "out/grade.jsonl").read_text().splitlines()
    # Equal content is judged once; as if it had been stopped, with half a line written.
    assert len(lines) == 1 + 3
    (work / "out/grade.jsonl").write_text("\n".join([*lines[:2], lines[2][:40]]))
    done = grade("--out", "out", "--hide")
    assert "1 answer was judged already, and kept" in done.stderr
    again = json.loads((work / "out/grade.json").read_text())
    assert again["seed"] == 7
    assert again["counts"] == told["counts"]
    names = {one["submission"] for one in again["answers"]}
    assert names == {"001", "002", "003", "004", "005"}
    hidden = (work / "out/grade.html").read_text() + (work / "out/grade.csv").read_text()
    assert [name for name in ("ann", "bob", "cid.py", "eva") if f"{name}<" in hidden] == []


def test_nobody_s_file_is_replaced(grade, work):
    """A file of that name that no round has written stays, and the way out is said."""
    (work / "grade.csv").write_text("mine")
    done = grade()
    assert done.returncode == 2
    assert "grade.csv already exists" in done.stderr
    assert "--force" in done.stderr
    assert (work / "grade.csv").read_text() == "mine"


def test_nothing_to_judge(grade, work):
    """An empty folder is said to be one."""
    for file in (work / "class").iterdir():
        file.unlink()
    done = grade(ATTN_KATA_LANG="zh")
    assert done.returncode == 2
    assert "没有可评判的内容" in done.stderr


def test_a_scheduler_that_is_not_there(grade, work):
    """An address that nobody answers at is said, with what to start."""
    done = grade("--scheduler", "tcp://127.0.0.1:9", "--out", "out")
    assert done.returncode == 2
    assert "the scheduler at tcp://127.0.0.1:9 cannot be reached" in done.stderr
