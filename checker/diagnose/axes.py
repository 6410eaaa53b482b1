"""Axes named by their sizes: the judge draws sizes that are pairwise distinct."""

from __future__ import annotations

from collections.abc import Sequence

from ..judge.classes.cases import Case
from ..judge.classes.plan import Size

__all__ = ["axis_names", "telling_case", "telling_sizes"]


def telling_case(size: Size, mask: str | None, *, cross: bool) -> Case:
    """Return a small case whose batch and lengths are no other axis's size.

    3 is left out: query, key and value in one tensor have such an axis.
    """
    taken = {1, 3, size.heads, size.head_dim, size.hidden}
    batch, queries, *more = (n for n in (2, 4, 5, 6, 7, 8, 9) if n not in taken)
    folded = {batch * size.heads, batch * queries}
    keys = next(n for n in more if n not in folded) if cross else queries
    return Case(check="", batch=batch, queries=queries, keys=keys, mask=mask)


def telling_sizes(sizes: Sequence[Size]) -> list[Size]:
    """Order sizes by how well they tell axes apart, the best first."""

    def doubts(size: Size) -> int:
        distinct = size.heads == 1 or len({size.heads, size.head_dim, size.hidden}) == 3
        alone = len(sizes) > 1 and size.heads == 1 and any(one.heads > 1 for one in sizes)
        return 4 * (not distinct) + 2 * alone + (size.heads == 3)

    return sorted(sizes, key=doubts)


def axis_names(shape: Sequence[int], size: Size, case: Case) -> list[str]:
    """Name each axis of a shape; an axis that is none of ours keeps its number."""
    known = _known(size, case)
    names = [known.get(entry, str(entry)) for entry in shape]
    if size.heads > 1 and "heads" in names:
        # Beside the heads, what is as wide as hidden_dim is several head_dims in a row.
        several = f"{size.heads}·head_dim"
        names = [several if name == "hidden_dim" else name for name in names]
    return names


def _known(size: Size, case: Case) -> dict[int, str]:
    cross = case.keys != case.queries
    pairs = [
        (1, "1"),
        (case.batch, "batch"),
        (case.queries, "query_length" if cross else "length"),
        (case.keys, "key_length"),
        (size.hidden, "hidden_dim"),
        (2 * size.hidden, "2·hidden_dim"),
        (3 * size.hidden, "3·hidden_dim"),
    ]
    if size.heads > 1:
        pairs[4:4] = [(size.heads, "heads"), (size.head_dim, "head_dim")]
        pairs += [(3 * size.head_dim, "3·head_dim"), (case.batch * size.heads, "batch·heads")]
    length = "query_length" if cross else "length"
    pairs += [(case.batch * case.queries, f"batch·{length}"), (size.block, "block_size")]
    names: dict[int, str] = {}
    for entry, name in pairs:
        names.setdefault(entry, name)
    return names
