"""The program as a person starts it."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from unittest import mock

import pytest
from attn_kata.checker.report.report import Report
from attn_kata.cli import main
from attn_kata.kata.catalogue import find, katas
from attn_kata.practice.history import Attempt, History
from attn_kata.practice.pages import page_names
from attn_kata.terminal.language import command_in

EXAMPLES = Path(__file__).parent.parent / "examples"
PROGRAM = "import sys; from attn_kata.cli import main; sys.exit(main())"
HELP_END = "-- end of help --"
HELP = f"""
import sys
from attn_kata.cli import main
for name in sys.argv[1:]:
    sys.argv[1:] = [*name.split(), "--help"]
    assert main() == 0
    print({HELP_END!r})
"""
LOADED = """
import sys
from attn_kata.cli import main
status = main()
loaded = {name.partition(".")[0] for name in sys.modules}
heavy = sorted(loaded & {"torch", "rich", "numpy", "pydantic"})
print(status, heavy, file=sys.stderr)
"""


@pytest.fixture
def work(tmp_path):
    """The folder that a person stands in."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def program(surroundings, staying, tmp_path, work, monkeypatch, capfd):
    """Run the program in that folder; return what it did.

    Here and now, as a process of its own takes most of its time to begin; with `code`, or where
    it says `alone`, it has one.
    """
    told = {**staying, "ATTN_KATA_HOME": str(tmp_path / "home")}

    def run(*arguments, code="", alone=False, stdin="", **environment):
        with monkeypatch.context() as patch, mock.patch.dict(os.environ, told, **environment):
            patch.chdir(work)
            if code or alone:
                return process(arguments, code or PROGRAM, stdin)
            capfd.readouterr()
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), "utf-8"))
            status = ended(arguments)
            shown = capfd.readouterr()
        return subprocess.CompletedProcess(arguments, status, shown.out, shown.err)

    return run


def ended(arguments):
    """Run the program in this process; return its status."""
    try:
        return main(arguments)
    except SystemExit as end:  # what completes for a shell ends so
        return int(end.code or 0)


def process(arguments, code, stdin):
    """Run the program in a process of its own; return what it did."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


def test_start_page(program):
    """The bare name says what to type first, and all is well."""
    done = program(alone=True)
    assert done.returncode == 0
    assert "attn-kata watch v1" in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",), ("check", "--help"), ("show", "v1"), ("learn", "v1"), ("list",), (),
        ("--version",), ("hint", "v1"), ("config", "lang"), ("solution", "v1", "--yes"),
    ],
)  # fmt: skip
def test_light_commands_load_no_torch(program, arguments):
    """Nothing but the judge imports torch, plain values need no pydantic, help no rich."""
    status, loaded = program(*arguments, code=LOADED).stderr.strip().split(" ", 1)
    assert status == "0"
    assert "torch" not in loaded
    assert "numpy" not in loaded
    assert "pydantic" not in loaded
    if "--help" in arguments:
        assert loaded in {"[]", "['rich']"}


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        (["check", "--help"], "check"),
        (["--lang", "zh", "check"], "check"),
        (["--katas", "check", "--color=never", "list"], "list"),
        (["--help", "check"], "--help"),
        ([], ""),
    ],
)
def test_the_command_that_is_typed(arguments, command):
    """It is told from the values of what may stand before it."""
    assert command_in(arguments) == command


def test_a_command_is_loaded_alone(program):
    """What is typed has nothing of the other commands loaded; a mistyped one has all beside it."""
    code = f"{PROGRAM.partition(';')[0]}; from attn_kata.cli import main; status = main()\n"
    code += "print(*(name for name in sys.modules if name.startswith('attn_kata.cli_')))"
    assert program("check", "--help", code=code).stdout.split("\n")[-2].split() == [
        "attn_kata.cli_options", "attn_kata.cli_check",
    ]  # fmt: skip
    assert "attn_kata.cli_grade" in program("chekc", code=code).stdout


def test_help_of_every_command_has_an_example(program):
    """Each command's help shows how it is typed, in both languages."""
    names = [
        "list", "show", "learn", "questions", "start", "check", "hint", "solution", "watch",
        "history", "forget", "due", "config", "next", "reset", "run", "doctor", "demo",
        "interview", "interview report", "dev check",
    ]  # fmt: skip
    for language, word in (("en", "example"), ("zh", "例子")):
        done = program(*names, code=HELP, ATTN_KATA_LANG=language)
        assert done.returncode == 0
        shown = done.stdout.split(HELP_END)
        assert len(shown) == len(names) + 1
        for name, screen in zip(names, shown, strict=False):
            assert f"{word}  attn-kata {name}" in screen


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [
        (("--lang", "zh", "list"), {}),
        (("list", "--lang", "zh"), {}),
        (("list", "--lang=zh"), {}),
        (("list",), {"ATTN_KATA_LANG": "zh"}),
        (("list",), {"LANG": "zh_CN.UTF-8"}),
        (("--help",), {"LC_ALL": "zh_CN.UTF-8"}),
    ],
)
def test_chinese(program, arguments, environment):
    """The language may be said before or after the command, or by the surroundings."""
    done = program(*arguments, **environment)
    assert done.returncode == 0
    assert "分钟" in done.stdout or "用法" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("check", "mah"), "did you mean `mha`"),
        (("check", "mha", "nope.py"), "there is no file nope.py"),
        (("chek",), "did you mean `check`?"),
        (("check", "vl"), "did you mean `v1`?"),
        (("check", "gpa", "--lang", "zh"), "是不是 `gqa`、`sdpa`、`paged`？"),
        (("config", "lang", "x", "--lang", "zh"), "`lang` 只能是 en、zh 之一"),
        (
            ("v1",),
            "`v1` is a kata; a command goes before it next: attn-kata show v1 attn-kata start v1",
        ),
        (("mine.py",), "mine.py is a file; a command goes before it next: attn-kata check mine.py"),
        (("config", "lang", "cn"), "one of en, zh next: attn-kata config lang zh"),
        (("config", "color", "off"), "next: attn-kata config color never"),
        (("check", "--sed", "3"), "no option `--sed`"),
        (("check", "--seed", "x"), "`--seed` must be a whole number from 0 to 2147483648"),
        (("hint", "mha", "x"), "`N` must be a whole number"),
        (("debug", "mine.py"), "a file goes with `--say`"),
        (("dev", "check", "/nowhere"), "there is no folder /nowhere"),
        (("questions", "--count", "0"), "`--count` must be a whole number, 1 or more"),
        (("interview", "--minutes", "x"), "`--minutes` must be a number of minutes next:"),
        (("interview",), "standard input is empty"),
        (("check", "--mask", "x"), "`--mask` must be one of keep, drop, additive"),
        (("reset",), "`KATA` is missing"),
        (("show",), "nothing has been started yet"),
        (("show", "v1", "v2"), "too many arguments: v2"),
        (("check", "--timeout"), "`--timeout` needs a value next: attn-kata check --help"),
        (("--lang", "xx"), "`--lang` must be one of en, zh"),
        (("hint", "v1", "9"), "no hint 9"),
        (("solution", "v1"), "add `--yes`"),
        (("solution", "v1", "--diff", "nope.py", "--yes"), "there is no file nope.py"),
        (("check", "v1", "[bold]\x1b[31m\n.py"), "[bold]\\x1b[31m\\n.py"),
    ],
)
def test_wrong_usage(program, arguments, words):
    """Status 2, nothing on standard output, and a sentence that helps."""
    done = program(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert words in " ".join(done.stderr.split())


def test_any_file_is_run(program, work):
    """A script is run whatever kata it is for, or none."""
    (work / "scratch.py").write_text("print(6 * 7)")
    assert program("run", "scratch.py").stdout.endswith("42\n")


def test_what_no_input_changes_is_judged_again_without_a_seed(program, work):
    """The command below a stub, or below what is not Python, names no seed."""
    program("start", "v1")
    (work / "broken.py").write_text("# attn-kata: v1\nprint(1\n")
    for file in ("v1.py", "broken.py"):
        done = program("check", file)
        assert f"attn-kata check v1 {file}\n" in done.stdout


def test_a_stub_of_another_kata(program):
    """A stub that is tried on another kata is no error of that kata, and not its file."""
    program("start", "v1")
    assert program("check", "v2", "v1.py").returncode == 1
    assert "ERROR" not in program("forget").stdout
    assert "v2 has not been started here" in program("check", "v2").stderr


def alive(group):
    """Whether a process of a group still runs; one that nobody buried does not count."""
    command = ["ps", "-A", "-o", "pgid=,stat="]
    rows = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")
    return any(row.split()[0] == str(group) and "Z" not in row for row in rows if row.strip())


def test_interruption(work, tmp_path):
    """Ctrl-C while the judge works: status 130, a word, and nothing left running."""
    # To open it takes someone at each end: so the file is known to be running.
    begun = work / "begun"
    os.mkfifo(begun)
    (work / "slow.py").write_text(f"import time\nopen({str(begun)!r})\ntime.sleep(100)\n")
    running = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "check", "v1", "slow.py"],
        cwd=work,
        env={**os.environ, "ATTN_KATA_HOME": str(tmp_path)},
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    begun.open("w").close()
    os.killpg(running.pid, signal.SIGINT)
    out, err = running.communicate(timeout=120)
    assert (running.returncode, out) == (130, "")
    assert err.splitlines()[-1] == "interrupted"
    while alive(running.pid):
        time.sleep(0.1)


def test_pages_are_listed_opened_and_guessed(program):
    """`explain` lists pages, opens one, and helps with a name that is nearly one."""
    if not page_names():
        pytest.skip("no page is written yet")
    name = page_names()[0]
    assert name in program("explain").stdout
    assert program("explain", name).returncode == 0
    wrong = program("explain", name[:-1])
    assert wrong.returncode == 2
    assert f"did you mean `{name}`" in wrong.stderr


def test_start_then_start_again(program, work):
    """The second start refuses, force keeps a backup, and the next command is said."""
    first = program("start", "v3")
    assert "attn-kata check v3\n" in first.stdout
    assert program("start", "v3").returncode == 2
    assert "v3.py.bak1" in program("start", "v3", "--force").stdout
    assert sorted(file.name for file in work.iterdir()) == ["v3.py", "v3.py.bak1"]
    assert program("start", "v1", "--dir", "a b/c").returncode == 0
    assert (work / "a b/c/v1.py").exists()


def test_hints_follow_the_last_check(program, work):
    """After a failed check they are on its step, in the language asked for; after none, general."""
    assert "hint 1 of 3, on what" not in program("hint", "mha").stdout
    program("start", "mha")
    (work / "mha.py").write_text((EXAMPLES / "wrong_mha.py").read_text("utf-8"), "utf-8")
    program("check", "mha")
    first = program("hint", "mha").stdout
    assert "hint 1 of 3, on what the last check found" in first
    assert "standard normal" in first
    assert "方差" in program("hint", "mha", "3", "--lang", "zh").stdout


def test_hints_go_on_where_they_were(program):
    """Without a number the next hint comes, until all are seen."""
    shown = [program("hint", "v1").stdout for _ in range(4)]
    assert ["hint 1 of 3" in shown[0], "hint 2 of 3" in shown[1], "hint 3 of 3" in shown[2]] == [
        True
    ] * 3
    assert "all 3 hints" in shown[3]
    assert "hint 1 of 3" in program("hint", "v1", "1").stdout


@pytest.mark.parametrize("command", ["show", "learn", "hint", "solution"])
def test_without_a_kata_the_current_one_is_told_of(program, command):
    """It is that of the file begun or changed last, as with `check` and `watch`."""
    program("start", "v1")
    program("start", "causal")
    assert "causal" in program(command, *(["--yes"] if command == "solution" else [])).stdout


def test_a_number_alone_is_a_hint_of_the_current_kata(program):
    """`hint 2` asks for no kata called 2."""
    program("start", "v1")
    assert program("hint", "2").stdout.startswith("v1  hint 2 of 3")


def test_solution_beside_ones_own(program):
    """The model answer is shown, alone or as a difference."""
    assert "class SelfAttentionV1" in program("solution", "v1", "--yes").stdout
    program("start", "v1")
    shown = program("solution", "v1", "--yes", "--diff", "v1.py").stdout
    assert '-        raise NotImplementedError("write me")' in shown
    assert "+        query = self.query_proj(x)" in shown


def test_doctor_without_torch(program):
    """It looks at everything and asks torch only if it may."""
    done = program("doctor", "--no-torch")
    assert done.returncode == 0
    assert "0 checks recorded" in done.stdout


def test_broken_memory_stops_nothing(program, tmp_path):
    """A home that is a file is said, and the command is done all the same."""
    (tmp_path / "home").write_text("x")
    done = program("start", "v1")
    assert done.returncode == 0
    assert "note: " in done.stderr
    assert program("list").returncode == 0


@pytest.mark.parametrize("encoding", ["ascii", "gbk", "latin-1"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_consoles_that_cannot_write_everything(program, encoding, language):
    """No sign and no language makes a command fail on an old console."""
    environment = {**os.environ, "PYTHONUTF8": "0", "PYTHONIOENCODING": encoding}
    command = [sys.executable, "-c", PROGRAM, "show", "mha", "--lang", language]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode(encoding)


def test_colour_only_where_it_is_wanted(program):
    """A pipe gets none, FORCE_COLOR some, NO_COLOR and a dumb terminal none again."""
    forced = {"NO_COLOR": "", "FORCE_COLOR": "1", "TERM": "xterm-256color"}
    assert "\x1b" not in program("list", NO_COLOR="").stdout
    assert "\x1b" in program("list", **forced).stdout
    assert "\x1b[3" not in program("list", **{**forced, "NO_COLOR": "1"}).stdout
    assert "\x1b" not in program("list", NO_COLOR="", TERM="dumb").stdout


@pytest.mark.parametrize(
    "command", ["", "list", "show v1", "explain", "due", "history", "config", "hint v1 1", "bogus"]
)
def test_colour_is_an_option_of_every_command(program, command):
    """Wherever it stands it has the last word, over the variables and over a pipe."""
    told = {
        wanted: program(*command.split(), "--color", wanted, NO_COLOR=off, FORCE_COLOR=forced)
        for wanted, off, forced in (("always", "1", ""), ("never", "", "1"))
    }
    coloured = {wanted: "\x1b" in done.stdout + done.stderr for wanted, done in told.items()}
    assert coloured == {"always": True, "never": False}


def test_a_reader_that_leaves(program):
    """`attn-kata list | head -0` says nothing more."""
    command = f"{sys.executable} -c '{PROGRAM}' show mha | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.strip() in {"0", "141"}


def test_no_columns_are_none_that_are_told(program):
    """A width of 0 stands for one that is not known, and the screen is drawn as wide as ever."""
    assert program("list", COLUMNS="0").stdout == program("list").stdout != ""


@pytest.mark.parametrize("arguments", ["show mha", "--version", "questions v1 --list"])
def test_a_full_disk(program, arguments):
    """What cannot be written is said in a line, and is no verdict; a closed stream is nobody's."""
    for target, status, told in (("/dev/full", "2", "No space left on device"), ("&-", "0", "")):
        command = f"{sys.executable} -c '{PROGRAM}' {arguments} >{target}; echo $? >&2"
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
        said = done.stderr.splitlines()
        assert said[-1] == status
        assert len(said) == (2 if told else 1)
        assert told in said[0]


def test_completion_knows_the_katas(program):
    """Tab after `check m` offers what begins so."""
    words = {
        "COMP_WORDS": "attn-kata check m",
        "COMP_CWORD": "2",
        "_ATTN_KATA_COMPLETE": "complete_bash",
    }
    assert program(**words).stdout.split() == [
        "mha",
        "mqa",
        "mla",
        "minigpt",
        "minigpt-cache",
        "minigpt-classifier",
        "mla-absorbed",
    ]


def test_completion_leaves_files_to_the_shell(program, work):
    """After a kata, or where none begins so, it offers nothing: then the shell offers files."""
    (work / "mha_mine.py").touch()

    def offered(words):
        count = str(len(words.split(" ")) - 1)
        told = {"COMP_WORDS": words, "COMP_CWORD": count, "_ATTN_KATA_COMPLETE": "complete_bash"}
        return program(**told).stdout.split()

    assert offered("attn-kata check mh") == ["mha", "mha_mine.py"]
    assert offered("attn-kata check mha ") == []
    assert offered("attn-kata check sub") == []


def test_a_header_of_another_kata_is_said(program):
    """A file that says it is for v1 is judged as v2 where that is asked for, and it is said."""
    program("start", "v1")
    assert "its first line says that it is for v1" in program("check", "v2", "v1.py").stderr
    assert "first line" not in program("check", "v1", "v1.py").stderr


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("config lang ", "en zh"),
        ("config color a", "auto always"),
        ("check --device ", "auto cpu cuda"),
        ("debug --level s", "senior"),
        ("questions --topic ca", "cache"),
        ("hint v1 ", "1 2 3"),
    ],
)
def test_completion_knows_values(program, typed, wanted):
    """What may follow is offered where only few values may."""
    line = f"attn-kata {typed}"
    words = {"COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
    done = program(**words, _ATTN_KATA_COMPLETE="complete_bash")
    assert done.stdout.split() == wanted.split()


def test_help_names_every_kata(program):
    """Who does not know the katas finds them all where one is asked for."""
    for screen in program("show", "check", "watch", code=HELP).stdout.split(HELP_END)[:3]:
        told = screen.split()
        assert [one.id for one in katas() if one.id not in told] == []


def test_doctor_finds_a_data_folder_that_cannot_be_written(program, work):
    """It names what is in the way, and fails."""
    (work / "file").touch()
    done = program("doctor", "--no-torch", ATTN_KATA_HOME=str(work / "file" / "data"))
    assert done.returncode == 1
    assert "cannot be written" in done.stdout
    assert "ATTN_KATA_HOME" in done.stdout


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that takes no file")
def test_doctor_tries_to_write(program):
    """Rights say nothing of root, whom a folder may refuse all the same."""
    done = program("doctor", "--no-torch", ATTN_KATA_HOME="/proc/nowhere")
    assert done.returncode == 1
    assert "/proc cannot be written" in done.stdout


def test_help_speaks_of_standard_input_where_it_is_read(program):
    """`check -` reads it; `watch` and `run` do not, and say nothing of it."""
    for command, spoken in (("check", True), ("watch", False), ("run", False)):
        assert ("standard input" in program(command, "--help").stdout) is spoken


def test_interrupted_at_a_question(program):
    """The line that was being asked on ends before anything else is said."""
    code = (
        "import sys; from attn_kata.cli import main\n"
        "sys.stdin.isatty = sys.stdout.isatty = sys.stderr.isatty = lambda: True\n"
        "def interrupt(): raise KeyboardInterrupt\n"
        "sys.stdin.readline = interrupt\n"
        "sys.exit(main())"
    )
    done = program("solution", "v1", code=code)
    assert done.returncode == 130
    assert re.sub(r"\x1b\[[0-9;]*m", "", done.stderr).endswith("[y/N]: \ninterrupted\n")


def test_check_json_end_to_end(program, work):
    """One object a file in order, standard output holds nothing else, and it is recorded."""
    files = [str(EXAMPLES / f"{side}_mha.py") for side in ("right", "wrong")]
    empty = work / "空 [bold].py"
    empty.write_text("")
    done = program(
        "check", "mha", *files, str(empty), "--json", "--seed", "11", "--record", alone=True
    )
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    assert [report["verdict"] for report in reports] == ["pass", "fail", "error"]
    assert [report["file"] for report in reports] == [*files, str(empty)]
    assert {report["schema"] for report in reports} == {1}
    assert done.returncode == 1
    assert "3 checks recorded" in program("doctor", "--no-torch").stdout
    assert "passed" in program("list").stdout
    # Several files are no one's work in progress.
    assert program("check").returncode == 2


def test_standard_input(program):
    """`-` is what comes in: by its class, under its own line numbers, and on no record."""
    text = (EXAMPLES / "wrong_mha.py").read_text().partition("\n")[2]
    shown = program("check", "-", "--seed", "7", stdin=text, alone=True)
    assert shown.returncode == 1
    assert shown.stdout.startswith("mha  -  MultiHeadAttention")
    assert "> 30 │ scores = scores / math.sqrt(self.hidden_dim)" in shown.stdout
    assert "attn-kata check mha - --seed 7" in shown.stdout
    assert "attn-kata watch" not in shown.stdout
    report = json.loads(program("check", "mha", "-", "--json", stdin=text).stdout)
    assert (report["file"], report["diagnosis"][0]["line"]) == ("-", 30)
    assert "nothing has been judged yet" in program("history").stdout


def test_what_is_recorded_is_ones_own(program, work):
    """An example judged on the way is none of one's history, which is said where it passes."""
    program("start", "v1")
    right = str(EXAMPLES / "right_mha.py")
    shown = program("check", right)
    assert "not recorded" in shown.stderr
    assert "`-v` lists them" in shown.stdout
    assert "nothing has been judged yet" in program("history").stdout
    assert "pass  purity" in program("check", right, "-v", "--record").stdout
    (work / "v1.py").write_text("class SelfAttentionV1(")
    assert program("check", "-q").stdout.startswith("ERROR   v1  v1.py:1  ")
    assert "line 1: not valid Python" in program("history", "v1").stdout
    gone = program("forget")
    assert "v1  ERROR  line 1: not valid Python" in gone.stdout
    refused = program("forget", "--all", "--last", "2")
    assert refused.returncode == 2
    assert program("history", "--csv").stdout.count("right_mha.py") == 1


def test_forgetting_many_is_asked(program, tmp_path):
    """More than one goes only where somebody says so; where nobody can, the command is told."""
    history = History(tmp_path / "home")
    for kata in ("v1", "v1", "mha"):
        history.add(Attempt.of(Report(kata=kata, file="x.py", verdict="pass"), None))
    refused = program("forget", "v1", "--all", "--lang", "zh")
    assert refused.returncode == 2
    assert "attn-kata forget v1 --all --yes --lang zh" in refused.stderr
    assert "2 checks taken out" in program("forget", "v1", "--all", "--yes").stdout
    assert [one.kata for one in history.story()] == ["mha"]


def test_another_folders_file_is_not_taken(program, work):
    """Where nobody can be asked, the command to type is told, for `check` and `watch`."""
    assert program("start", "v1", "--dir", "there").returncode == 0
    file = work / "there" / "v1.py"
    for command in (("check",), ("check", "v1"), ("watch",), ("watch", "v1")):
        refused = program(*command)
        assert refused.returncode == 2
        assert f"attn-kata {command[0]} v1 {file}" in refused.stderr


def test_settings_end_to_end(program, tmp_path):
    """A setting holds for the commands after it; a broken file is said at each, and kept."""
    told = program("config", "lang", "zh")
    assert "从现在起" in told.stderr
    assert told.stdout.count("attn-kata watch") == 1
    assert "分钟" in program("list").stdout
    assert "min" in program("list", ATTN_KATA_LANG="en").stdout
    assert program("config", "colr", "x").returncode == 2
    file = tmp_path / "home" / "config.toml"
    file.write_text("lang = \n")
    listed = program("list")
    assert listed.returncode == 0
    assert "config.toml" in "".join(listed.stderr.split())
    assert "at line 1" in " ".join(listed.stderr.split())
    assert program("config", "lang", "en").returncode == 2
    assert file.read_text() == "lang = \n"


def test_what_is_suggested_keeps_the_language(program):
    """`--lang` on the line stands in what is suggested; a language set elsewhere does not."""
    assert "attn-kata watch v1 --lang zh" in program("start", "v1", "--lang", "zh").stdout
    refused = program("start", "v1", "--lang", "zh").stderr
    assert refused.count("--lang zh") == 2
    assert "--lang" not in program("list", ATTN_KATA_LANG="zh").stdout


def test_stub_in_the_chosen_language(program, work):
    """The stub's comments are in the language; its code is the same."""
    program("start", "v1", "--lang", "zh")
    assert (work / "v1.py").read_text("utf-8") == find("v1").stub("zh")


def test_heat_end_to_end(program, work):
    """The weights on the screen, as a picture, and never over another file."""
    wrong = str(EXAMPLES / "wrong_axis.py")
    shown = program("check", "v1", "--heat", wrong, "--trace", "--seed", "7")
    assert "attention weights, first sample" in shown.stdout
    assert "× weights" in shown.stdout
    drawn = program("check", "v1", wrong, "--heat", "w.svg", "--seed", "7")
    assert drawn.returncode == 1
    assert "w.svg" in drawn.stderr
    assert (work / "w.svg").read_bytes().startswith(b"<svg")
    (work / "mine.png").write_bytes(b"a photograph")
    kept = program("check", "v1", wrong, "--heat=mine.png")
    assert kept.returncode == 2
    assert "mine.png already exists" in kept.stderr
    assert (work / "mine.png").read_bytes() == b"a photograph"
    report = json.loads(program("check", "v1", wrong, "--heat", "--json").stdout)
    assert len(report["heat"]["expected"][0]) == len(report["heat"]["masked"][0])


def test_list_ends_in_the_next_kata(program, tmp_path):
    """What to type next is the first kata that was not passed; after all, what is due."""
    assert program("list").stdout.endswith("\n\n  next  attn-kata watch v1\n")
    history = History(tmp_path / "home")
    for kata in katas():
        if kata.id != "mha":
            history.add(Attempt.of(Report(kata=kata.id, file="x.py", verdict="pass"), None))
    assert program("list").stdout.endswith("\n\n  next  attn-kata watch mha\n")
    history.add(Attempt.of(Report(kata="mha", file="x.py", verdict="pass"), None))
    assert program("list").stdout.endswith("\n\n  next  attn-kata due\n        attn-kata watch\n")


def right_mha_but(folder, line):
    """Write the right example with a line of its own at the head of its forward."""
    source = (EXAMPLES / "right_mha.py").read_text("utf-8")
    call = "def forward(self, x, attention_mask=None):"
    assert call in source
    path = folder / "slow.py"
    path.write_text("import time\n" + source.replace(call, f"{call}\n        {line}"), "utf-8")
    return path


@pytest.mark.costly
def test_bench_end_to_end(program, work):
    """What passes is timed and what fails is not; the exit status and the record do not change."""
    right, wrong = (str(EXAMPLES / f"{side}_mha.py") for side in ("right", "wrong"))
    # One row is enough to see it drawn, and a length that takes long is the last.
    slow = right_mha_but(work, "if x.shape[1:] == (64, 128): time.sleep(0.3)")
    shown = program("check", "mha", str(slow), "--bench", "--record", "-v")
    assert shown.returncode == 0
    assert "× the fused kernel" in shown.stdout
    assert shown.stdout.index("PASS") < shown.stdout.index("× the fused kernel")
    # It ends in something to type, as without.
    assert shown.stdout.count("attn-kata check mha") == 1
    assert "--seed" in "".join(shown.stdout.splitlines()[-2:])
    failed = program("--lang", "zh", "check", "mha", wrong, "--bench", "--record")
    assert failed.returncode == 1
    assert "融合算子" not in failed.stdout
    assert "通过之后才计时" in failed.stderr
    done = program("check", "mha", right, wrong, "--bench", "--json", "--record")
    first, second = map(json.loads, done.stdout.splitlines())
    assert [row["length"] for row in first["bench"]["rows"]][:2] == [64, 128]
    assert "bench" not in second
    assert done.returncode == 1
    assert "4 checks recorded" in program("doctor", "--no-torch").stdout


@pytest.mark.costly
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_interrupted_while_it_is_timed(work, tmp_path, form):
    """Ctrl-C ends the timing with 130; the verdict was given, and is on record."""
    begun = work / "begun"
    os.mkfifo(begun)
    # The first length that is timed, and none that is judged: a busy machine gets to no second.
    slow = right_mha_but(work, f"if x.shape[1] == 64: open({str(begun)!r}); time.sleep(30)")
    child = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "check", "mha", str(slow), "--bench", "--record", *form],
        env={**os.environ, "ATTN_KATA_HOME": str(tmp_path / "home")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    begun.open("w").close()
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=120)
    assert child.returncode == 130, err
    assert list((tmp_path / "home").rglob("history.sqlite3"))
    if form:
        assert json.loads(out)["verdict"] == "pass"
    else:
        assert "PASS" in out
    assert "interrupted" in err
    assert "Traceback" not in err


def test_stub_is_judged_after_start(program):
    """start, then check without a word: the stub is found, and it is not written yet."""
    program("start", "v1")
    done = program("check")
    assert done.returncode == 1
    assert "NotImplementedError" in done.stdout
    assert "v1.py (v1), the one you started or changed last" in done.stderr
    # It is no check of anybody's, here and in `history`.
    assert "0 checks recorded" in program("doctor", "--no-torch").stdout


def test_demo(program, work):
    """The right example passes, the wrong one fails; a narrow screen cuts no sentence."""
    done = program("demo", COLUMNS="50")
    assert done.returncode == 0, done.stdout
    assert "PASS" in done.stdout
    assert "FAIL" in done.stdout
    assert [row for row in done.stdout.splitlines() if len(row) > 50 and row[0] != "$"] == []
    assert not list(work.iterdir())


def test_cuda_where_there_is_none(program):
    """`--device cuda` says what was found and what `auto` does."""
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    done = program("check", "mha", str(EXAMPLES / "right_mha.py"), "--device", "cuda")
    assert done.returncode == 2
    assert "auto" in done.stderr


@pytest.mark.parametrize(
    ("lang", "words"), [("en", "no device is called `tpu`"), ("zh", "没有叫 `tpu` 的设备")]
)
def test_no_such_device(program, lang, words):
    """A device that nobody knows is refused, with those that there are."""
    done = program(
        "--lang", lang, "check", "mha", str(EXAMPLES / "right_mha.py"), "--device", "tpu"
    )
    assert done.returncode == 2
    assert words in done.stderr
    assert "cuda:1" in done.stderr


def test_debug_whole_exercise(program, work) -> None:
    """An exercise is handed out and judged; mended by its answer's lines it passes."""
    done = program("debug", "v3", "--seed", "4")
    assert done.returncode == 0, done.stderr
    assert "v3 with 1 planted bug" in done.stdout
    file = work / "debug_v3.py"
    handed = file.read_text("utf-8")
    assert handed.startswith("# attn-kata: v3 debug 4 bugs 1")
    again = program("debug", "v3", "--seed", "4")
    assert (again.returncode, file.read_text("utf-8")) == (2, handed)
    checked = program("check", "debug_v3.py")
    assert checked.returncode == 1
    assert "0 of 1 planted bug mended" in checked.stdout
    answer = json.loads(program("debug", "--answer", "debug_v3.py", "--json").stdout)
    (bug,) = answer["bugs"]
    assert bug["mistake"] not in checked.stdout
    lines = handed.splitlines()
    assert lines[bug["line"] - 1] == bug["wrong"]
    lines[bug["line"] - 1] = bug["right"]
    file.write_text("\n".join(lines), "utf-8")
    mended = json.loads(program("check", "debug_v3.py", "--json").stdout)
    assert (mended["verdict"], mended["debug"]["mended"]) == ("pass", 1)
    assert "passed" not in program("list").stdout
    assert "finding bugs: 1 exercise" in program("due").stdout


def test_debug_says_how_many(program) -> None:
    """More bugs than there can be are refused, with how many there can be."""
    done = program("debug", "mha", "--bugs", "9")
    assert done.returncode == 2
    assert "at most 5 bugs and at least one, not 9" in done.stderr


def test_learn_runs_its_steps(program):
    """`--run` shows what each step prints, in order, and loads no torch itself."""
    done = program("learn", "drill-axes", "--run", code=LOADED)
    assert "│ (3, 1) [1, 2, 3, 4, 5, 6]" in done.stdout
    assert done.stdout.index("(1, 3)") < done.stdout.index("(2, 1)")
    assert "torch" not in done.stderr.strip().split(" ", 1)[1]


def test_learn_draws_its_picture(program, tmp_path):
    """`--svg` writes a picture, takes no other ending, and replaces nothing that is not ours."""
    file = tmp_path / "v1.svg"
    assert program("learn", "v1", "--svg", str(file)).returncode == 0
    assert file.read_text("utf-8").startswith("<svg")
    assert "has to end in .svg" in program("learn", "v1", "--svg", "v1.txt").stderr
    file.write_text("mine", "utf-8")
    assert "nothing was changed" in program("learn", "v1", "--svg", str(file)).stderr
    assert file.read_text("utf-8") == "mine"


def test_show_keeps_back_what_gives_away(program):
    """What an interviewer looks at is shown with `--all`, or after a pass."""
    assert "What an interviewer looks at" not in program("show", "v1").stdout
    assert "What an interviewer looks at" in program("show", "v1", "--all").stdout


def test_questions_are_listed_and_asked(program):
    """The bank is listed by topic, and a topic that is none is refused with those that are."""
    done = program("questions", "--list", "--topic", "cache")
    assert done.returncode == 0
    assert "kvcache" in done.stdout
    refused = program("questions", "--topic", "weather")
    assert "no question is about `weather`" in refused.stderr
    assert program("questions", "v1", "--lang", "zh").returncode == 0
