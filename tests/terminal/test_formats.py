"""Reports as other programs read them."""

import json
import re
import xml.etree.ElementTree as ET
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from attn_kata.checker.report.findings import findings
from attn_kata.checker.report.report import Check, Diagnosis, Fault, Part, Remark, Report
from attn_kata.terminal.formats import Format
from attn_kata.terminal.look import Look
from attn_kata.terminal.report import quiet_line, report_lines
from attn_kata.terminal.text import written
from attn_kata.terminal.verdicts import Manner, Verdicts

NAMED = Diagnosis(mistake="scale-missing", line=3, message="the scores, 100% of them, are: raw")
WRONG = Report(kata="mha", file="my, file.py", verdict="fail", diagnosis=[NAMED])
RIGHT = Report(kata="v1", file="v1.py", verdict="pass",
               remarks=[Remark(id="prints", line=7, message="it prints")])  # fmt: skip
CODE = Fault(kind="syntax", line=2, message="line 2 is no Python\n  x\x1b\n  ^",
             help="mend\nit")  # fmt: skip
BROKEN = Report(kata="mha", file="b.py", verdict="error", error=CODE)
BARE = Diagnosis(mistake="scale-missing", line=6, message="no scale")
NOTEBOOK = Report(
    kata="mha", file="n.ipynb", verdict="fail", cells=[[1, 4], [5, 9]], diagnosis=[BARE]
)


@pytest.fixture
def shown():
    """Write reports in a form; return what is written."""

    def run(form, *reports):
        lines = []
        screen: Any = SimpleNamespace(
            waiting=lambda text: nullcontext(), say=lambda *a, **k: "", write=lines.append,
            language="en",
        )  # fmt: skip
        chosen: Any = [
            SimpleNamespace(guessed=False, file=Path(one.file), name=one.file) for one in reports
        ]
        verdicts = Verdicts(screen, chosen, Manner(form=form))
        list(verdicts.shown(reports))
        verdicts.end()
        return "\n".join(lines)

    return run


def test_github(shown, monkeypatch):
    """Each finding is a workflow command whose properties and text cannot be misread."""
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    error, notice, broken = shown(Format.github, WRONG, RIGHT, BROKEN).splitlines()
    where, said = error.removeprefix("::").split("::")
    assert where == "error file=my%2C file.py,line=3,title=mha scale-missing"
    assert said == "the scores, 100%25 of them, are: raw"
    assert broken.endswith("::line 2 is no Python%0Amend%0Ait")
    assert notice == "::notice file=v1.py,line=7,title=v1 prints::it prints"


def test_github_finds_the_file_from_the_workspace(shown, monkeypatch):
    """A path is told from the workspace, wherever in it the command was called."""
    monkeypatch.setenv("GITHUB_WORKSPACE", str(Path.cwd().parent))
    assert f"file={Path.cwd().name}/v1.py," in shown(Format.github, RIGHT)


def test_sarif(shown):
    """One log holds all findings, their rules and the pages on them."""
    log = json.loads(shown(Format.sarif, WRONG, RIGHT))
    run = log["runs"][0]
    assert log["version"] == "2.1.0"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["scale-missing", "prints"]
    assert run["tool"]["driver"]["rules"][0]["help"]["markdown"].startswith("# scale-missing")
    first, second = run["results"]
    assert (first["ruleId"], first["level"], second["level"]) == ("scale-missing", "error", "note")
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "my%2C%20file.py", "uriBaseId": "SRCROOT"}
    assert place["region"] == {"startLine": 3}


def test_junit(shown):
    """Each file is a test of its kata, with the screen of what is wrong; XML can hold all of it."""
    root = ET.fromstring(shown(Format.junit, WRONG, RIGHT, BROKEN).partition("\n")[2])
    assert {name: root.get(name) for name in ("tests", "failures", "errors")} == {
        "tests": "3", "failures": "1", "errors": "1",
    }  # fmt: skip
    cases = {case.get("name"): case for case in root.iter("testcase")}
    failure, error = cases["my, file.py"].find("failure"), cases["b.py"].find("error")
    assert failure is not None
    assert error is not None
    assert (failure.get("type"), error.get("type")) == ("scale-missing", "syntax")
    assert "scale-missing" in (failure.text or "")
    assert list(cases["v1.py"]) == []


@pytest.mark.parametrize("form", [Format.github, Format.sarif, Format.junit])
def test_notebooks_are_told_by_cell(shown, form):
    """A notebook's line is said by its cell, and none is claimed in the file, which is JSON."""
    text = shown(form, NOTEBOOK)
    assert "line 2 of code cell 2: no scale" in text
    assert "line=6" not in text
    assert '"startLine"' not in text
    assert ' line="' not in text


def test_a_screen_tells_a_notebook_by_cell():
    """On a screen too, in either language, and short where a place stands in a column."""
    source = [f"row {number}" for number in range(1, 10)]
    look = Look(language="en", source=source)
    text = "\n".join(written(line) for line in report_lines(NOTEBOOK, look))
    assert "n.ipynb:2:2" in text
    assert "> 2:2 │ row 6" in text
    quiet = "".join(span for span, _ in quiet_line(NOTEBOOK, "en"))
    assert "n.ipynb:2:2" in quiet


def test_what_has_no_name_is_found():
    """What is no pass has a finding, at the function that is wrong where one is known."""
    part = Part(name="softmax", status="fail", line=12, message="off")
    report = Report(kata="v1", file="v1.py", verdict="fail", functions=[part],
                    checks=[Check(id="values", status="fail", detail="2 of 3")])  # fmt: skip
    assert [(one.id, one.line, one.message) for one in findings(report)] == [
        ("values", 12, "2 of 3")
    ]


def test_the_problem_matcher_reads_annotations(shown, root):
    """The pattern that the docs give VS Code reads a finding's place, name and sentence."""
    told = (root / "docs" / "places.md").read_text("utf-8")
    task = json.loads(next(b for b in told.split("```json")[1:] if "tasks" in b).split("```")[0])
    pattern = task["tasks"][0]["problemMatcher"]["pattern"]
    found = re.match(pattern["regexp"], shown(Format.github, RIGHT))
    assert found is not None
    read = [found[pattern[part]] for part in ("severity", "file", "line", "code", "message")]
    assert read == ["notice", "v1.py", "7", "v1 prints", "it prints"]
