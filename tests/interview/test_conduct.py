"""The interview as it goes: right and wrong submissions, what is told and what it costs."""

import itertools
import random
from datetime import timedelta
from pathlib import Path

import pytest
from attn_kata.checker.report.report import Diagnosis, Report
from attn_kata.kata.catalogue import find
from attn_kata.practice import bank
from attn_kata.practice.clock import day as clock_day
from attn_kata.practice.errors import Refusal
from attn_kata.practice.interview import coding
from attn_kata.practice.interview.grades import dimensions
from attn_kata.practice.interview.plan import plan_called, plan_names
from attn_kata.practice.interview.practise import following
from attn_kata.practice.interview.questions import question_called, tells
from attn_kata.practice.interview.requirements import draw
from attn_kata.practice.interview.session import Session
from attn_kata.practice.interview.texts import table
from attn_kata.sentences.wording import sentence


@pytest.fixture
def open_one(lead, work):
    """Begin an interview, open the file, and return a hand that writes it."""

    def begin(**wishes):
        led = lead(**wishes)
        led.greet()
        led.line("start")
        return led, lambda text: (work / "interview.py").write_text(text, "utf-8")

    return begin


def answer(led, ticks="all"):
    """Answer what is asked until code is to be written again, or all is over."""
    while led.session.put is not None:
        led.line("because")
        led.line("")
        led.line(ticks)


def test_brief_answers_and_the_clock_that_waits(lead, hands, script):
    """Questions are answered before the file is opened, and the clock waits for that."""
    led = lead()
    assert "30 minutes" in led.greet()[0].text
    hands.go_on(600)
    said = led.line("is there a mask, and what does 1 mean?")
    assert [one.kind for one in said] == ["speech", "speech"]
    assert led.line("hm")[0].key == "interview-noted"
    assert led.line("I'll apply the mask before the softmax.")[0].key == "interview-noted"
    assert led.line("what about the mask?")[0].key == "interview-which"
    assert led.line("is it nice?")[0].key == "interview-unclear"
    assert led.line("how much time is left?")[0].key == "interview-time-waits"
    assert led.line("sumbit")[0].values == {"word": "submit"}
    assert led.line("submit")[0].key == "interview-not-started"
    assert led.seconds_left() == 1800
    led.line("start")
    hands.go_on(60)
    assert led.seconds_left() == 1740


def test_whole_interview(open_one, hands, script, judge):
    """Every tier passed, every question answered: done, and the best verdict but clarity."""
    led, write = open_one()
    write(script.right)
    hands.go_on(1500)
    assert "interview-right" in script.keys(led.line("submit"))
    assert led.session.put.name.startswith("v4:")
    answer(led)
    assert led.session.tier == 1
    write(script.right + "# again\n")
    led.line("submit")
    answer(led)
    assert led.over
    assert led.session.ended == "done"
    assert [kata for kata, _ in judge.judged] == ["v4", "mha"]


def test_a_diagnosis_is_withheld(open_one, script):
    """One sentence first, then the mistake and its line, then the report: each at its price."""
    led, write = open_one()
    write(script.wrong)
    said = led.line("submit")
    assert [one.text or one.key for one in said] == [
        "I'd look at your scaling again.",
        "interview-wrong",
    ]
    first, second, third = led.line("more"), led.line("more"), led.line("more")
    assert first[0].values["line"] == 2
    assert first[-1].key == "interview-more-costs-1"
    assert second[0].report.diagnosis[0].mistake == "scale-by-hidden-dim"
    assert second[-1].key == "interview-more-costs-2"
    assert third[0].key == "interview-all-told"


def test_a_crash_has_a_voice_too(open_one, script):
    """Code that does not run is no numbers to look at."""
    led, write = open_one()
    write(script.crash)
    assert "doesn't run" in led.line("submit")[0].text
    assert led.line("more")[0].key == "interview-fault"


def test_what_is_the_same_is_not_counted_twice(open_one, script):
    """Submitting without a change is said to be that."""
    led, write = open_one()
    write(script.wrong)
    led.line("submit")
    assert led.line("submit")[0].key == "interview-same"
    assert len(led.session.submissions) == 1


@pytest.mark.parametrize(
    ("text", "key"),
    [("", "file-empty"), ("class Attention(nn.Mod", "file-half"), ("\x00", "file-half")],
)
def test_half_a_file_is_not_submitted(open_one, script, text, key):
    """What an editor has saved by half is told, and not counted."""
    led, write = open_one()
    write(text)
    assert script.keys(led.line("submit")) == [key, "interview-not-counted"]
    assert led.session.submissions == []


def test_a_file_that_is_gone_can_be_found_or_restored(open_one, script, work):
    """Deleted or renamed in the middle: the interviewer asks, nothing is lost."""
    led, write = open_one()
    write(script.wrong)
    led.line("submit")
    (work / "interview.py").rename(work / "other.py")
    assert led.line("submit")[0].key == "file-gone"
    assert led.line("run")[0].key == "file-gone"
    assert led.line("file nope.py")[0].key == "interview-no-such-file"
    assert led.line("file other.py")[0].key == "interview-moved"
    assert led.line("submit")[0].key == "interview-same"
    (work / "other.py").unlink()
    assert led.line("restore")[0].key == "interview-restored"
    assert (work / "other.py").read_text("utf-8") == script.wrong
    assert led.line("restore")[0].key == "cannot-write"


def test_work_that_is_there_is_not_overwritten(lead, work, script):
    """Where `interview.py` is someone's work, another name is handed out."""
    (work / "interview.py").write_text("mine", "utf-8")
    led = lead()
    led.line("start")
    assert led.session.file.endswith("interview-2.py")
    assert (work / "interview.py").read_text("utf-8") == "mine"


def test_a_folder_that_cannot_be_written_starts_no_clock(lead, work):
    """Where the file cannot be handed out, the clock does not start."""
    led = lead()
    work.rmdir()
    work.write_text("a file")
    assert led.line("start")[0].key == "cannot-write"
    assert not led.session.opened


def test_running_shows_what_it_prints(open_one, script):
    """Their own code runs as it would for them, and what it prints is shown."""
    led, write = open_one()
    write("print('mine')\nraise SystemExit(3)\n")
    said = led.line("run")
    assert said[0].rows == ("mine",)
    assert said[1].values == {"status": 3}


def test_running_without_end_is_ended(open_one, script, monkeypatch):
    """What prints without end is ended when its time is up, and only its end is shown."""
    from attn_kata.practice.interview import files

    monkeypatch.setattr(files, "_SECONDS", 0.2)
    led, write = open_one()
    write("while True:\n    print('x' * 9, flush=True)\n")
    said = led.line("run")
    assert said[0].key == "interview-cut"
    assert said[1].key == "interview-ran-long"


def test_what_cannot_be_judged_is_not_held_against_anyone(open_one, script, judge, monkeypatch):
    """A disk that is full when judging is told; the same text may be submitted again."""

    def full(*_):
        raise OSError(28, "No space left on device")

    led, write = open_one()
    write(script.right)
    monkeypatch.setattr(judge, "judge", full)
    assert led.line("submit")[0].key == "interview-not-judged"
    monkeypatch.undo()
    assert not led.session.submissions[0].judged


def test_a_mask_read_the_other_way_is_told_in_this_interviews_words(lead, work, judge, monkeypatch):
    """The judge says what 1 means to it; where masks were drawn otherwise, that would mislead."""

    def inverted(kata, file, *_):
        one = Diagnosis(mistake="mask-inverted", message="here 1 means ...", reference="x", line=2)
        return Report(kata=kata.id, file=file, verdict="fail", diagnosis=[one])

    seed = next(seed for seed in range(99) if draw(seed, "junior")["meaning"] == "drop")
    led = lead(seed=seed)
    led.line("start")
    (work / "interview.py").write_text("x = 1\n", "utf-8")
    monkeypatch.setattr(judge, "judge", inverted)
    assert "Walk me through one row" in led.line("submit")[0].text
    told = led.line("more")[0].values["message"]
    assert "True means masked" in sentence(told, "en")


def test_hints_are_counted(open_one, script):
    """Three hints, each told once, and no fourth."""
    led, _ = open_one()
    for number in (1, 2, 3):
        assert led.line("hint")[1].values == {"number": number, "count": 3}
    assert led.line("hint")[0].key == "interview-hints-over"
    assert led.session.stages[0].hints == 3


def test_giving_a_step_up(open_one, script):
    """A step that is skipped has no questions after it, and is not passed."""
    led, _ = open_one()
    said = led.line("skip")
    assert "interview-skipped" in script.keys(said)
    assert led.session.tier == 1
    led.line("skip")
    assert led.session.puts == []  # no question about a kata that was not written
    assert led.session.ended == "done"


def free(led):
    """Answer until a question is put that is answered in one's own words."""
    while led.session.put.asked("en").exact:
        led.line("")
    return led.session.put


def test_ticks_are_numbers(open_one, script):
    """Anything but numbers of points is asked again."""
    led, write = open_one()
    write(script.right)
    led.line("submit")
    put = free(led)
    led.line("run it and see")  # part of the answer, now
    assert put.lines == ["run it and see"]
    led.line("")
    assert led.line("9")[0].key == "interview-tick-numbers"
    assert led.line("maybe")[0].key == "interview-tick-numbers"
    led.line("1, 3")
    assert put.ticked == (1, 3)
    assert not any(put.made)


def test_what_was_missed_is_asked_again(open_one, script):
    """A question of a bank of which nothing was heard is due at once, whatever was ticked."""
    led, write = open_one()
    write(script.right)
    led.line("submit")
    put = free(led)
    led.line("I would run it and see")
    led.line("")
    led.line("all")
    stands = bank.stands(led.recorder.history.story())
    if put.name.startswith("open:"):
        put = free(led)
        led.line("")
        stands = bank.stands(led.recorder.history.story())
    stand = stands[put.name.partition(":")[2]]
    assert stand.due is not None
    assert stand.last is not None
    assert clock_day(stand.due) - clock_day(stand.last) <= timedelta(days=1)
    assert f"questions {put.name.partition(':')[0]}" in dict(following(led.session))["questions"]


def test_an_exact_question_wants_an_answer_of_its_kind(open_one, script):
    """What cannot be the answer is asked again; a wrong one is told what is right."""
    led, write = open_one()
    write(script.right)
    led.line("submit")
    put = led.session.put
    assert put.asked("en").exact
    assert led.line("it depends on the mask")[0].key.startswith("interview-how-to-")
    assert not put.answered
    said = led.line("")
    assert said[0].key == "interview-no-answer"
    assert put.made == (False,)
    assert put.closed


@pytest.mark.parametrize("said", ["I don't know", "no idea", "?", "不知道", "不会"])
def test_who_does_not_know_has_answered_that(open_one, script, said):
    """No number is insisted on: it counts 0, as an empty line does."""
    led, write = open_one()
    write(script.right)
    led.line("submit")
    put = led.session.put
    assert put.asked("en").exact
    assert led.line(said)[0].key == "interview-no-answer"
    assert put.made == (False,)
    assert put.text == ""


def test_who_gives_up_in_words_is_not_asked_for_ticks(open_one, script):
    """Nobody who has said nothing is asked which points were made."""
    led, write = open_one()
    write(script.right)
    led.line("submit")
    put = free(led)
    led.line("no idea, sorry")
    assert led.line("")[0].key == "interview-no-answer"
    assert put.closed
    assert not any(put.made)


def test_help_explains_what_can_be_typed(open_one, lead, script):
    """Before the start, while code is written, and while a question is open."""
    assert "submit" not in lead().line("help")[1].rows
    assert "start" in lead().line("?")[1].rows
    led, write = open_one()
    assert {"submit", "more", "leave"} <= set(led.line("help")[1].rows)
    write(script.right)
    first = led.line("submit")
    assert script.keys(first).count("interview-clock-stands") == 1
    assert led.line("help")[1].rows == ("skip", "brief", "time", "leave", "end")
    assert led.line("submit")[0].key == "interview-answer-first"
    assert "interview-clock-stands" not in script.keys(led.line("skip"))


@pytest.mark.parametrize("word", ["leave", "离开"])
def test_who_says_so_leaves(open_one, script, word):
    """Before the start too, and while a question is open; nothing is answered by it."""
    led, write = open_one()
    write(script.right)
    led.line("submit")
    assert led.line(word) == []
    assert led.away
    assert not led.session.put.answered
    assert led.leave().key == "interview-left-running"


def test_a_pasted_answer_with_empty_lines_is_one_answer(open_one, script):
    """An empty line ends an answer only where nothing of the paste follows."""
    led, write = open_one()
    write(script.right)
    led.line("submit")
    put = free(led)
    for line, more in [("first", True), ("", True), ("second", True), ("", False)]:
        led.line(line, more=more)
    assert put.answered
    assert put.text == "first\n\nsecond"


def test_what_is_wanted_works_while_a_question_is_open(open_one, script):
    """The time, the question again, no hint, done, skip and end."""
    led, write = open_one()
    write(script.right)
    led.line("submit")
    put = free(led)
    assert led.line("how much time is left?")[0].key == "interview-time-left"
    assert led.line("could you repeat that?")[0].kind == "question"
    assert led.line("hint")[0].key == "interview-answer-first"
    assert put.lines == []
    led.line("skip")
    assert put.closed
    assert not any(put.made)
    led.line("let's end here")
    assert led.over


def test_the_clock_stands_while_a_question_is_answered(open_one, hands, script):
    """For four minutes at most: a question is no time to write code in."""
    led, write = open_one()
    write(script.right)
    hands.go_on(60)
    led.line("submit")
    hands.go_on(100)
    assert led.seconds_left() == 1740
    led.line("")
    hands.go_on(1000)
    assert led.seconds_left() == 1740 - 760


def test_nothing_is_asked_that_is_not_there(open_one, script):
    """Questions need what the code has, none comes before its code, the open one comes once."""
    led, write = open_one()
    for number in range(2):
        write(f"{script.right}# {number}\n")
        led.line("submit")
        answer(led, "0")
    names = [put.name for put in led.session.puts]
    assert len(set(names)) == len(names)
    assert sum(name.startswith("open:") for name in names) == 1
    assert not {"v4:v4-clarify-first", "v4:v4-said-unasked", "mha:mha-contiguous-view"} & set(names)
    assert {name.split(":")[-2] for name in names} <= {"v4", "mha", "open"}


@pytest.mark.parametrize("seed", range(6))
def test_no_question_follows_one_that_has_its_answer(open_one, script, seed):
    """Nor one whose answer stands in what was asked before: half of an answer is no question."""
    led, write = open_one(plan="mha", level="senior", seed=seed)
    for number in range(2):
        write(f"{script.right}# {number}\n")
        led.line("submit")
        answer(led, "0")
    names = [put.name for put in led.session.puts]
    pairs = list(itertools.combinations(names, 2))
    assert not [pair for pair in pairs if pair[1] in tells(pair[0]) or pair[0] in tells(pair[1])]


def test_what_is_said_to_be_told_is_a_question():
    """Of a bank, or an exact one; each bank's own are checked by `dev check`."""
    named = {one for told in table("own.toml")["tells"].values() for one in told}
    assert all(question_called(one, "en") for one in named)


def test_no_question_about_ones_own_code_comes_twice(open_one):
    """What was asked of one step's code is not asked again of the next step's."""
    code = (
        "# right\nclass Attention:\n    def forward(self, scores, mask):\n"
        "        return scores.masked_fill(mask == 0, float('-inf'))\n"
    )
    led, write = open_one()
    put = []
    for text in (code, f"{code}# two\n"):
        write(text)
        led.line("submit")
        while led.session.put is not None:
            put.append(led.session.put.name)
            led.line("skip")
    own = [name.rpartition(":")[2] for name in put if name.startswith("own:")]
    assert set(own) == {"half", "empty"}
    assert len(own) == 2


def test_what_was_saved_after_the_end_is_not_judged(open_one, lead, hands, script, monkeypatch):
    """Killed, written on, resumed: the file counts by when it was saved."""
    begun = hands.reading.wall
    monkeypatch.setattr(coding, "saved_at", lambda _: begun + 50)
    _, write = open_one(minutes=1)
    write(script.right)
    hands.go_on(100)
    said = lead(resume=True).greet()
    assert "interview-right" in script.keys(said)
    led, _ = open_one(minutes=1)
    Path(led.session.file).write_text(script.right, "utf-8")
    hands.go_on(100)
    monkeypatch.setattr(coding, "saved_at", lambda _: begun + 190)
    assert script.keys(led.look()) == ["interview-time-over", "interview-saved-late"]
    assert led.session.late
    assert led.session.submissions == []


def test_time_over_judges_what_is_there(open_one, hands, script):
    """At the end of the time the file is judged as it stands, and that may pass the step."""
    led, write = open_one(minutes=1)
    write(script.right)
    hands.go_on(61)
    said = led.look()
    assert script.keys(said)[:2] == ["interview-time-over", "interview-right"]
    assert led.session.ended == "time"
    assert led.session.stages[0].passed
    assert led.look() == []


def test_time_over_with_nothing_there(open_one, hands, script, work):
    """An untouched, a missing or a judged file is no submission at the end."""
    led, _ = open_one(minutes=1)
    hands.go_on(61)
    assert script.keys(led.line("submit")) == ["interview-time-over"]
    assert led.session.submissions == []


def test_the_last_look_is_no_failed_submission(open_one, hands, script):
    """What is wrong when time is up was never submitted, and does not count as such."""
    from attn_kata.practice.interview.evidence import failed

    led, write = open_one(minutes=1)
    write(script.wrong)
    hands.go_on(61)
    led.look()
    assert led.session.submissions[0].judged
    assert failed(led.session, 0) == 0


def test_practice_has_no_clock(open_one, hands):
    """Days may pass."""
    led, _ = open_one(practice=True)
    hands.go_on(1e6)
    assert led.look() == []
    assert led.seconds_left() == float("inf")


def test_what_changes_between_the_steps_is_said(lead, work, script):
    """Told to leave the output projection away, one is told where it comes back."""
    seed = next(seed for seed in range(99) if draw(seed, "junior")["output"] == "unwanted")
    led = lead(seed=seed)
    led.line("start")
    said = " ".join(one.text for one in led.line("skip"))
    assert "does end in an output projection" in said


def test_killed_at_any_moment(open_one, lead, hands, script, judge, monkeypatch):
    """After each event the program may be killed: the next one goes on from there."""
    led, write = open_one()
    write(script.wrong)
    hands.go_on(100)
    monkeypatch.setattr(judge, "judge", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        led.line("submit")
    monkeypatch.undo()
    monkeypatch.setattr("attn_kata.practice.interview.clock.read", hands.read)
    hands.go_on(100)
    again = lead(resume=True)
    assert again.seconds_left() == 1600
    said = again.greet()
    assert "I'd look at your scaling again." in script.keys(said)
    assert again.session.submissions[0].judged
    write(script.right)
    again.line("submit")
    free(again)
    again.line("half an ans")
    third = lead(resume=True)
    third.greet()
    assert third.session.put.lines == ["half an ans"]
    third.line("")
    fourth = lead(resume=True)
    assert fourth.greet()[-1].key == "interview-how-to-tick"


def test_resuming_too_late(open_one, lead, hands, script):
    """Time ran out while the terminal was closed: what is there is judged, and that is all."""
    led, write = open_one()
    write(script.right)
    led.leave()
    hands.go_on(1e4)
    late = lead(resume=True)
    assert "interview-time-over" in script.keys(late.greet())
    assert late.session.stages[0].passed
    assert late.session.ended == "time"


LINES = (
    "start", "submit", "run", "hint", "more", "skip", "brief", "help", "restore", "file x.py",
    "", "1 2", "all", "0", "99", "what does 1 mean in the mask?", "一行中文", "\x1b[31m", "sumbit",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
def test_what_is_stored_is_all_there_is(lead, hands, work, script, seed):
    """Whatever is typed: nothing breaks, and the stored events alone give the same interview."""
    chance = random.Random(seed)
    # Bugs are planted by a judge that runs what it judges, which this one does not.
    plans = [name for name in plan_names() if not any(one.bugs for one in plan_called(name).tiers)]
    led = lead(seed=seed, plan=chance.choice(plans))
    led.greet()
    texts = (script.right, script.wrong, script.crash, "half(", "")
    for _ in range(50):
        hands.go_on(chance.random() * 30)
        if chance.random() < 0.4 and led.session.opened:
            text = chance.choice(texts) + f"# {chance.random()}\n"
            (work / "interview.py").write_text(text, "utf-8")
        led.line(chance.choice(LINES))
        again = Session.of(led.session.number, led.store.events(led.session.number))
        assert again == led.session


def test_a_plan_of_ones_own(lead, work, script, judge):
    """Any katas, in the order named, for as long as they take; what is none is refused."""
    led = lead(plan="v4,gqa,kvcache")
    kinds = [stage.tier.kata.id for stage in led.session.stages]
    assert kinds == ["v4", "gqa", "kvcache"]
    assert led.session.minutes == sum(find(name).minutes for name in kinds)
    led.line("start")
    (work / "interview.py").write_text(script.right, "utf-8")
    led.line("submit")
    assert judge.judged[-1][0] == "v4"
    for wrong in ("v4,nothing", "v4,v4", ","):
        with pytest.raises(Refusal):
            plan_called(wrong)


def test_a_step_more_where_there_is_time(open_one, script):
    """What passed early is extended, announced and judged, and failing it takes nothing away."""
    led, write = open_one()
    for number in range(2):
        write(f"{script.right}# {number}\n")
        led.line("submit")
        while led.session.put is not None:
            led.line("skip")
    assert [stage.tier.kata.id for stage in led.session.planned] == ["v4", "mha"]
    assert led.session.stages[2].tier.kata.id in {"causal", "gqa"}
    assert led.session.tier == 2
    write(script.wrong)
    led.line("submit")
    assert not led.session.submissions[-1].accepted
    led.line("end")
    marked = {one.name: one.mark for one in dimensions(led.session)}
    assert marked["correctness"] == 4
    assert marked["pace"] == 4


def test_no_step_more_where_time_is_short(open_one, hands, script):
    """Then the closing questions end it."""
    led, write = open_one()
    hands.go_on(1500)
    for number in range(2):
        write(f"{script.right}# {number}\n")
        led.line("submit")
        while led.session.put is not None:
            led.line("skip")
    assert led.session.ended == "done"
    assert len(led.session.stages) == 2
