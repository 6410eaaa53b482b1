"""The settings: set, unset, kept with what surrounds them, and never lost where broken."""

import pytest
from attn_kata.practice.errors import Refusal
from attn_kata.practice.settings import Settings
from attn_kata.terminal.language import Colour, choose, choose_colour


@pytest.fixture
def written(tmp_path):
    """Write a settings file and return the settings read from it."""

    def write(text):
        (tmp_path / "config.toml").write_text(text, "utf-8")
        return Settings(tmp_path)

    return write


def test_set_and_unset(tmp_path):
    """What is set is there for the next command; what is unset is gone."""
    Settings(tmp_path / "new").put("lang", "zh")
    Settings(tmp_path / "new").put("editor", 'code --wait "a b"')
    assert Settings(tmp_path / "new").values == {"lang": "zh", "editor": 'code --wait "a b"'}
    Settings(tmp_path / "new").put("lang", None)
    assert Settings(tmp_path / "new").get("lang") == ""


def test_comments_and_other_lines_stay(written):
    """A setting is changed where it stands, or put before what is there."""
    settings = written('# mine\ncolor = "never"  # loud\n\n[later]\nx = 1\n')
    settings.put("color", "auto")
    settings.put("lang", "en")
    text = settings.path.read_text("utf-8")
    assert text == 'lang = "en"\n# mine\ncolor = "auto"\n\n[later]\nx = 1\n'
    assert settings.values == {"lang": "en", "color": "auto"}


@pytest.mark.parametrize(
    ("text", "line"), [("lang = zh\n", 1), ('color = "auto"\n\nlang = "zh\n', 3), ("lang =", 1)]
)
def test_broken_file_is_said_and_kept(written, text, line):
    """The line is named, nothing in it counts, and it is never written over."""
    settings = written(text)
    assert [(one.key, one.values["line"]) for one in settings.troubles] == [
        ("settings-broken", line)
    ]
    with pytest.raises(Refusal, match="settings-broken"):
        settings.put("lang", "zh")
    assert settings.path.read_text("utf-8") == text


@pytest.mark.parametrize(
    ("text", "key", "line"),
    [
        ('color = "auto"\nfont = "big"\n', "settings-unknown", 2),
        ('\nlang = "fr"\n', "settings-choices", 2),
        ("editor = 3\n", "settings-text", 1),
    ],
)
def test_what_cannot_be_meant_is_named(written, text, key, line):
    """An unknown setting, or a value that it cannot have, is said with its line."""
    settings = written(text)
    assert [(one.key, one.values["line"]) for one in settings.troubles] == [(key, line)]
    assert set(settings.values) <= {"color"}


@pytest.mark.parametrize(
    ("name", "value", "key"),
    [
        ("colr", "x", "no-setting-near"),
        ("zzz", "x", "no-setting"),
        ("lang", "fr", "setting-choices"),
        ("editor", " ", "setting-text"),
        ("editor", "a\nb", "setting-text"),
    ],
)
def test_what_is_refused(tmp_path, name, value, key):
    """What is no setting, or no value of one, leaves no file behind."""
    with pytest.raises(Refusal) as refusal:
        Settings(tmp_path).put(name, value)
    assert refusal.value.key == key
    assert not (tmp_path / "config.toml").exists()


@pytest.mark.parametrize(
    ("arguments", "environment", "setting", "wanted"),
    [
        (["--lang", "en"], {"ATTN_KATA_LANG": "zh"}, "zh", ("en", "--lang")),
        ([], {"ATTN_KATA_LANG": "zh"}, "en", ("zh", "ATTN_KATA_LANG")),
        ([], {"LANG": "en_US.UTF-8"}, "zh", ("zh", "attn-kata config lang")),
        ([], {"LANG": "zh_CN.UTF-8"}, "", ("zh", "LANG")),
    ],
)
def test_what_goes_first_for_the_language(arguments, environment, setting, wanted):
    """The option, then the variable, then the setting, then the locale."""
    choice = choose(arguments, environment, "utf-8", setting)
    assert (choice.code, choice.source) == wanted


@pytest.mark.parametrize(
    ("arguments", "environment", "setting", "wanted"),
    [
        (["--color=never"], {"FORCE_COLOR": "1"}, "always", Colour.never),
        ([], {"NO_COLOR": "1"}, "always", Colour.auto),
        ([], {}, "always", Colour.always),
        (["--", "--color=never"], {}, "", Colour.auto),
    ],
)
def test_what_goes_first_for_colours(arguments, environment, setting, wanted):
    """The option, then the variables, which `auto` heeds, then the setting."""
    assert choose_colour(arguments, environment, setting) is wanted
