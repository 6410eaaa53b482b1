"""A report in no language, told in either."""

import json

import pytest
from attn_kata.checker import Check, Diagnosis, Report, say
from attn_kata.sentences.wording import sentence, worded

KEPT = Report(
    kata="mha", file="mine.ipynb", verdict="fail", cells=[[1, 4], [5, 9]],
    checks=[Check(id="mask", status="skip", detail=say("waits", check="values"))],
    diagnosis=[
        Diagnosis(mistake="scale-missing", message=say("slip", kata="mha", id="scale-missing")),
        Diagnosis(mistake="x", message=say("forward-misspelt", line=6, name="foward"), line=6),
    ],
)  # fmt: skip


@pytest.mark.parametrize(("language", "place"), [("en", "line 2 of code cell 2"),
                                                 ("zh", "第 2 个代码单元第 2 行")])  # fmt: skip
def test_what_was_kept_is_told_in_either(language, place):
    """JSON keeps a report whole; words come of it later, a notebook's line by its cell."""
    again = Report.from_dict(json.loads(json.dumps(KEPT.to_dict())))
    assert again == KEPT
    told = worded(again, language)
    assert told.checks[0].detail == sentence(say("waits", check="values"), language)
    assert "`foward`" in str(told.diagnosis[1].message)
    assert place in told.diagnosis[1].message
    assert len(str(told.diagnosis[0].message)) > 10
