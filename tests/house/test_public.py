"""What the package promises by name."""

import ast
import importlib
from importlib.metadata import version

import attn_kata
import pytest


def test_all_is_true():
    """Every public name is there, and they are listed in order."""
    assert [name for name in attn_kata.__all__ if not hasattr(attn_kata, name)] == []
    assert list(attn_kata.__all__) == sorted(attn_kata.__all__)


def test_type_checkers_see_the_same(root):
    """The names that type checkers see are those that are loaded when asked for."""
    tree = ast.parse((root / "__init__.py").read_text("utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {
        alias.name: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == attn_kata._HOMES
    assert {*seen, "__version__"} == set(attn_kata.__all__)


def test_unknown_name():
    """A name that is not public raises AttributeError, and says which."""
    with pytest.raises(AttributeError, match="no attribute 'chekc'"):
        _ = attn_kata.chekc


def test_version():
    """The version that the package says is the one that it was installed as."""
    assert attn_kata.__version__ == version("attn-kata")


@pytest.mark.parametrize(
    "room",
    [
        "checker",
        "classroom",
        "dev",
        "integrations",
        "kata",
        "practice",
        "reference",
        "sentences",
        "terminal",
    ],
)
def test_rooms_list_what_they_have(room, root):
    """What a module lists in `__all__`, it has."""
    for path in sorted((root / room).glob("*.py")):
        parts = ["attn_kata", room, *([] if path.stem == "__init__" else [path.stem])]
        module = importlib.import_module(".".join(parts))
        missing = [name for name in getattr(module, "__all__", ()) if not hasattr(module, name)]
        assert missing == [], path.name
