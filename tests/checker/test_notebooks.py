"""Notebooks: mistakes by cell and line."""

import json

RIGHT = """import math
from torch import nn
class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(hidden_dim, hidden_dim) for _ in range(3))
    def forward(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        return scores.softmax(dim=-1) @ v
"""


def notebook(*cells):
    """Return a notebook's text with these code cells, after one of text."""
    held = [{"cell_type": "markdown", "metadata": {}, "source": ["# Attention"]}]
    held += [{"cell_type": "code", "metadata": {}, "source": text} for text in cells]
    return json.dumps({"cells": held, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def test_the_cells_are_in_the_report(judged):
    """A report says which lines are which cell's, and keeps them on its way through JSON."""
    report = judged("v1", notebook("import torch", RIGHT), name="mine.ipynb")
    assert report.verdict == "pass", report.error
    assert report.cells == [[1, 1], [2, 12]]
    assert type(report).from_dict(report.to_dict()) == report


def test_a_file_has_no_cells(judged):
    """A file's report is as it was, without a word of cells."""
    assert "cells" not in judged("v1", RIGHT).to_dict()


def test_what_raises_is_told_by_cell(judged):
    """A sentence names the cell and the line in it, in both languages."""
    raising = RIGHT.replace("return scores", "return nothing")
    text = notebook("import torch", raising)
    report = judged("v1", text, name="mine.ipynb")
    assert report.error is not None
    assert report.error.line == 11
    assert "line 10 of code cell 2" in report.error.message
    report = judged("v1", text, name="mine.ipynb", language="zh")
    assert report.error is not None
    assert "第 2 个代码单元第 10 行" in report.error.message


def test_a_broken_cell_is_told_by_its_number(judged):
    """A cell that is no Python is named, and its line counts where all the others do."""
    report = judged("v1", notebook("x = 1\ny = 2", "import torch\ndef f(:"), name="mine.ipynb")
    assert report.error is not None
    assert report.error.message.startswith("code cell 2: line 2")
    assert report.error.line == 4
    assert report.cells == [[1, 2], [3, 4]]


def test_an_edit_mends_a_cell(judged):
    """A small edit is tried cell by cell, and a cell that raises by itself is in nobody's way."""
    wrong = RIGHT.replace("q.shape[-1]", "q.shape[-2]")
    text = notebook("import torch", "%matplotlib inline\nhere = missing", wrong)
    (told,) = judged("v1", text, name="mine.ipynb").diagnosis
    assert (told.mistake, told.line) == ("scale-by-length", 12)
    assert told.mended in {row.strip() for axis in ("-1", "2")
                           for row in wrong.replace("-2])", f"{axis}])").splitlines()}  # fmt: skip
