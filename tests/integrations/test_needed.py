"""What a class needs of what stands before it."""

import pytest
from attn_kata.integrations.needed import kept

CELLS = [
    "import math, time\nfrom torch import nn\nprint('slow')\ntime.sleep(9)",
    "SIZES = {}\nSIZES['heads'] = 4\nother = 3",
    "def helper(x):\n    return x * SIZES['heads'] + later\n\nhelper(1)",
    "def broken(:",
    "class Mine(nn.Module):\n    def forward(self, x):\n        return helper(x)",
    "later = 7\nmodel = Mine()",
]


def test_what_the_last_cell_needs():
    """Names are followed through functions and changes; calls and other names are left out."""
    assert kept(CELLS[:5], None) == [
        "\nfrom torch import nn\n\n",
        "SIZES = {}\nSIZES['heads'] = 4\n",
        "def helper(x):\n    return x * SIZES['heads'] + later\n\n",
        "",
        CELLS[4],
    ]


def test_what_a_name_needs():
    """What a function uses may be made after it, and is run in its place."""
    found = kept(CELLS, "Mine")
    assert found[5] == "later = 7\n"
    assert found[4] == CELLS[4]


def test_the_last_of_a_name_counts():
    """A name that was made anew is taken as it was made last."""
    cells = ["class A:\n    x = 1", "class A:\n    x = 2"]
    assert kept(cells, "A") == ["\n", cells[1]]


def test_an_unknown_name():
    """A name that nothing binds is said."""
    with pytest.raises(LookupError, match="Missing"):
        kept(CELLS, "Missing")
