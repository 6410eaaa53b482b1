"""What typer would convert, taken as it is: the same values, and refusals are typer's own."""

import pytest
from attn_kata.cli_files import Targets
from attn_kata.cli_options import Checking, takes
from attn_kata.terminal.help import HelpCommand
from typer import Context, Typer
from typer.main import get_command


def typed(*arguments):
    """What `check` makes of its arguments."""
    found = []
    app = Typer()

    @app.command(cls=HelpCommand)
    @takes(Checking)
    def check(ctx: Context, what: Targets, given: Checking) -> int:
        found.extend([what, given])
        return 0

    get_command(app)(list(arguments), standalone_mode=False)
    return found


@pytest.mark.parametrize(
    ("arguments", "name", "value"),
    [
        ((), "mask", "keep"),
        (("--mask", "drop"), "mask", "drop"),
        (("--class", "Mine"), "class_name", "Mine"),
        (("--timeout", "3"), "timeout", 3.0),
        (("--no-record",), "record", False),
        ((), "heat_file", None),
    ],
)
def test_a_value(arguments, name, value):
    """Texts, choices, numbers and defaults have the types that they are declared with."""
    given = getattr(typed("mha", "a.py", *arguments)[1], name)
    assert given == value
    assert type(given) is not str or name == "class_name"


def test_arguments():
    """Arguments are a list, none at all an empty one or none."""
    assert typed("mha", "a.py")[0] == ["mha", "a.py"]
    assert not typed()[0]


@pytest.mark.parametrize(
    "arguments", [("--mask", "upside-down"), ("--seed", "-1"), ("--timeout", "soon")]
)
def test_what_does_not_fit(arguments):
    """A choice that there is not, a number out of range and a word are still refused."""
    with pytest.raises(Exception, match=r"(?i)valid|choice|range|greater|number|input|keep"):
        typed(*arguments)
