"""Which of the candidate's weights is which: roles found by derivatives, without names.

At length 1 the output does not depend on queries and keys and is bilinear in the value
and the output projection; with two keys it depends on queries and keys through one
number a head. So derivatives of a few outputs say of every weight which matrix it
belongs to, which row and column, and which head, in whatever layout it is stored. What
is found is a proposal: an alignment counts only once the reference with those weights
reproduces the candidate's output.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from .plan import Size
from .probes import Probe
from .truth import Roles, numel

__all__ = ["Unaligned", "identify"]

_CLOSE = 2e-3
_DEAD = 1e-5


class Unaligned(Exception):
    """The derivatives fit no attention. stage says how far it went: vo, heads, q or k.

    stage "order" means that the weights do make attention, but that features are stored
    in one order and used in another (heads merged along the wrong axes, say).
    """

    def __init__(self, stage: str, detail: str = "") -> None:
        super().__init__(f"{stage}: {detail}")
        self.stage = stage
        self.detail = detail


def identify(
    shapes: dict[str, tuple[int, ...]],
    weights: dict[str, Tensor],
    probe: Probe,
    single: dict[str, Any],
    pair: dict[str, Any],
    size: Size,
) -> tuple[Roles, int]:
    """Find the roles from two answers with derivatives; return them and the heads found.

    shapes, weights: the candidate's, by name. single, pair: the answers at one key and at
    two, each with `out` and `jacobian` (samples, width, weights laid end to end).
    Raises Unaligned where the derivatives fit no attention.
    """
    names = tuple(shapes)
    flat = torch.cat([weights[name].reshape(-1).double() for name in names])
    solver = _Solver(flat, probe, single, pair, size)
    solver.find_value_and_output()
    solver.find_heads()
    solver.find_query()
    solver.find_key()
    return solver.roles(names, shapes), len(solver.heads)


class _Solver:
    """The steps of `identify`, which share what the earlier ones found."""

    def __init__(
        self,
        flat: Tensor,
        probe: Probe,
        single: dict[str, Any],
        pair: dict[str, Any],
        size: Size,
    ) -> None:
        self.flat = flat
        self.probe = probe
        self.size = size
        self.single = single["jacobian"][0]
        self.pair = pair["jacobian"]
        self.out = pair["out"][:, -1].double()
        self.output: Tensor | None = None
        for table in (self.single, self.pair, self.out):
            if not bool(torch.isfinite(table).all()):
                raise Unaligned("vo", "derivatives are not finite")

    def find_value_and_output(self) -> None:
        """One key: the output is Wo (Wv x + bv) + bo, whatever the queries and keys are."""
        table = self.single
        scale = float(table.abs().max())
        if scale == 0:
            raise Unaligned("vo", "no weight moves the output at length 1")
        moved = table.abs() > _DEAD * scale
        per_entry = moved.sum(0)
        self.active = per_entry > 0
        lone = (per_entry == 1).nonzero().flatten()
        dense = (per_entry > 1).nonzero().flatten()
        if len(dense) == 0:
            self._value_alone(table, lone)
        else:
            self._value_through_output(table, lone, dense)

    def _value_alone(self, table: Tensor, lone: Tensor) -> None:
        width = self.size.hidden
        self.v = _empty(width, width)
        self.bv = _empty(width)
        self.bo = _empty(width)
        x = self.probe.alone
        for entry in lone.tolist():
            row = int(table[:, entry].abs().argmax())
            column = _match(float(table[row, entry]), x)
            self._put(self.v if column is not None else self.bv, row, column, entry, "vo")
        if bool((self.v < 0).any()):
            raise Unaligned("vo", "some value weights are missing")
        self.merge = torch.eye(width, dtype=torch.float64)

    def _value_through_output(self, table: Tensor, lone: Tensor, dense: Tensor) -> None:
        width = self.size.hidden
        self.bo = _empty(width)
        levels: dict[int, list[tuple[float, int]]] = {row: [] for row in range(width)}
        for entry in lone.tolist():
            row = int(table[:, entry].abs().argmax())
            amount = float(table[row, entry])
            if abs(amount - 1) < 1e-6:
                self._put(self.bo, row, None, entry, "vo")
            else:
                levels[row].append((amount, entry))
        inner = len(levels[0])
        if inner == 0 or any(len(row) != inner for row in levels.values()):
            raise Unaligned("vo", "the output projection is not one matrix")
        self.output = _empty(width, inner)
        marks = torch.tensor(sorted(amount for amount, _ in levels[0]), dtype=torch.float64)
        for row, found in levels.items():
            for rank, (amount, entry) in enumerate(sorted(found)):
                if not _near(amount, float(marks[rank])):
                    raise Unaligned("vo", "rows of the output projection see different values")
                self.output[row, rank] = entry
        self.merge = self.flat[self.output]
        self.v = _empty(inner, width)
        self.bv = _empty(inner)
        squares = self.merge.square().sum(0)
        columns = table[:, dense]
        amounts = (self.merge.T @ columns) / squares.unsqueeze(1)
        rest = columns.square().sum(0) - amounts.square() * squares.unsqueeze(1)
        best = rest.argmin(0)
        norms = columns.square().sum(0)
        for place, entry in enumerate(dense.tolist()):
            row = int(best[place])
            if float(rest[row, place]) > _CLOSE**2 * float(norms[place]) * 4:
                raise Unaligned("vo", "a value weight serves several features")
            column = _match(float(amounts[row, place]), self.probe.alone)
            self._put(self.v if column is not None else self.bv, row, column, entry, "vo")
        if bool((self.v < 0).any()):
            raise Unaligned("vo", "some value weights are missing")

    def _put(self, table: Tensor, row: int, column: int | None, entry: int, stage: str) -> None:
        place = row if column is None else (row, column)
        if int(table[place]) >= 0:
            raise Unaligned(stage, "two weights do the same work")
        if column is None and table.dim() == 1 and stage == "vo":
            amount = float(self.single[:, entry].abs().max())
            if self.output is None and not _near(amount, 1.0):
                raise Unaligned(stage, "a weight acts on no input column")
        table[place] = entry

    def _weights(self, matrix: Tensor, bias: Tensor) -> Callable[[Tensor], Tensor]:
        padded = torch.cat([self.flat, torch.zeros(1, dtype=torch.float64)])
        return lambda x: x @ padded[matrix].T + padded[bias]

    def find_heads(self) -> None:
        """Two keys: which features a query or key weight moves shows its head."""
        project = self._weights(self.v, self.bv)
        first, second = project(self.probe.values[:, 0]), project(self.probe.values[:, 1])
        padded = torch.cat([self.flat, torch.zeros(1, dtype=torch.float64)])
        context = self._unmerge(self.out - padded[self.bo])
        share = (context - second) / (first - second)
        if not bool(((share > 0) & (share < 1)).all()):
            raise Unaligned("heads", "the output is no mixture of the values")
        slope = (first - second) * share * (1 - share)
        moved = self._unmerge(self.pair.transpose(1, 2)).transpose(1, 2) / slope.unsqueeze(2)
        rest = (~self.active).nonzero().flatten()
        moved = moved[:, :, rest]
        strength = moved.abs().amax(0)
        top = strength.amax(0)
        largest = float(top.max()) if len(rest) else 0.0
        if largest == 0:
            raise Unaligned("heads", "nothing moves the weights between two keys")
        live = top > _DEAD * largest
        self.dead = rest[~live]
        self.rest = rest[live]
        support = strength[:, live] > _CLOSE * top[live]
        self.heads = []
        self.head_of = torch.empty(len(self.rest), dtype=torch.long)
        patterns: dict[tuple[int, ...], int] = {}
        for place in range(len(self.rest)):
            pattern = tuple(support[:, place].nonzero().flatten().tolist())
            if pattern not in patterns:
                patterns[pattern] = len(patterns)
                self.heads.append(list(pattern))
            self.head_of[place] = patterns[pattern]
        features = sorted(feature for head in self.heads for feature in head)
        sizes = {len(head) for head in self.heads}
        if features != list(range(self.v.shape[0])) or len(sizes) != 1:
            raise Unaligned("heads", "heads do not share out the features evenly")
        # All features of a head move alike, so their mean is the head's one number.
        counts = support.sum(0)
        self.moves = (moved[:, :, live] * support).sum(1) / counts

    def _unmerge(self, rows: Tensor) -> Tensor:
        if self.output is None:
            return rows
        solved = torch.linalg.lstsq(self.merge, rows.reshape(-1, rows.shape[-1]).T).solution
        return solved.T.reshape(*rows.shape[:-1], -1)

    def find_query(self) -> None:
        """A query weight moves samples in proportion to one column of the query's input."""
        ones = torch.ones(len(self.probe.query), 1, dtype=torch.float64)
        directions = torch.cat([self.probe.query, ones], dim=1)
        self.key_entries: list[int] = []
        table: dict[tuple[int, int], list[tuple[float, int]]] = {}
        along, off = _project(self.moves, directions)
        for place, entry in enumerate(self.rest.tolist()):
            column = int(off[:, place].argmin())
            if float(off[column, place]) > _CLOSE:
                self.key_entries.append(place)
                continue
            head = int(self.head_of[place])
            table.setdefault((head, column), []).append((float(along[column, place]), entry))
        width = self.size.hidden
        depth = max((len(found) for found in table.values()), default=0)
        heads = len(self.heads)
        self.q = _empty(heads, depth, width)
        self.bq = _empty(heads, depth)
        for (head, column), found in table.items():
            if len(found) != depth:
                raise Unaligned("q", "a head lacks query weights")
            reference = sorted(amount for amount, _ in table.get((head, 0), []))
            for rank, (amount, entry) in enumerate(sorted(found)):
                if len(reference) != depth or not _near(amount, reference[rank]):
                    raise Unaligned("q", "query weights do not line up over input columns")
                if column < width:
                    self.q[head, rank, column] = entry
                else:
                    self.bq[head, rank] = entry
        if depth == 0 or bool((self.q < 0).any()):
            raise Unaligned("q", "some query weights are missing")

    def find_key(self) -> None:
        """A key weight moves samples in proportion to one feature of the query."""
        padded = torch.cat([self.flat, torch.zeros(1, dtype=torch.float64)])
        heads, depth, width = self.q.shape
        query = torch.einsum("hrn,bn->bhr", padded[self.q], self.probe.query) + padded[self.bq]
        self.k = _empty(heads, depth, width)
        order = self.probe.key_step.argsort().tolist()
        for head in range(heads):
            mine = [p for p in self.key_entries if int(self.head_of[p]) == head]
            if len(mine) != depth * width:
                raise Unaligned("k", "a head has too few or too many key weights")
            along, off = _project(self.moves[:, mine], query[:, head])
            found: dict[int, list[tuple[float, int]]] = {}
            for place, index in enumerate(mine):
                row = int(off[:, place].argmin())
                if float(off[row, place]) > _CLOSE:
                    raise Unaligned("k", "a key weight pairs with no query feature")
                entry = int(self.rest[index])
                found.setdefault(row, []).append((float(along[row, place]), entry))
            for row, pairs in found.items():
                if len(pairs) != width:
                    raise Unaligned("k", "a key feature lacks weights")
                self._place_key(head, row, sorted(pairs), order)
        if bool((self.k < 0).any()):
            raise Unaligned("k", "some key weights are missing")

    def _place_key(
        self, head: int, row: int, pairs: list[tuple[float, int]], order: list[int]
    ) -> None:
        step = self.probe.key_step
        # The scores' factor is not known, only that it is the same for every column.
        columns = order
        if not _proportional([a for a, _ in pairs], [float(step[c]) for c in columns]):
            columns = order[::-1]
        if not _proportional([a for a, _ in pairs], [float(step[c]) for c in columns]):
            raise Unaligned("k", "key weights do not line up with input columns")
        for (_, entry), column in zip(pairs, columns, strict=True):
            self.k[head, row, column] = entry

    def roles(self, names: tuple[str, ...], shapes: dict[str, tuple[int, ...]]) -> Roles:
        """Put heads and features in the order in which they are stored, and check it holds."""
        heads, depth, width = self.q.shape
        inner = self.v.shape[0]
        if heads * depth != width or inner != width:
            raise Unaligned("order", f"heads of {depth} and values of {inner} do not fill {width}")
        stored = self.q[:, :, 0].reshape(-1).argsort()
        row_heads = (stored // depth).tolist()
        head_order = list(dict.fromkeys(row_heads))
        depth_order = [[int(s) % depth for s in stored if int(s) // depth == h] for h in head_order]
        by_key = self.k[:, :, 0].reshape(-1).argsort()
        if not torch.equal(by_key, stored):
            raise Unaligned("order", "query and key features are stored in different orders")
        by_value = self.v[:, 0].argsort()
        by_output = torch.arange(inner) if self.output is None else self.output[0].argsort()
        if not torch.equal(by_value, by_output):
            raise Unaligned("order", "values are stored in one order and merged in another")
        feature_head = {f: h for h, head in enumerate(self.heads) for f in head}
        features = [
            int(feature)
            for head in head_order
            for feature in by_value
            if feature_head[int(feature)] == head
        ]
        q = torch.cat([self.q[h, order] for h, order in zip(head_order, depth_order, strict=True)])
        k = torch.cat([self.k[h, order] for h, order in zip(head_order, depth_order, strict=True)])
        bq = torch.cat(
            [self.bq[h, order] for h, order in zip(head_order, depth_order, strict=True)]
        )
        return Roles(
            names=names,
            shapes=shapes,
            q=q,
            k=k,
            v=self.v[features],
            o=None if self.output is None else self.output[:, features],
            bq=bq,
            bk=_key_bias(names, shapes, k[:, 0], self.dead),
            bv=self.bv[features],
            bo=self.bo,
            place=torch.tensor(features) if self.output is None else torch.arange(width),
        )


def _key_bias(
    names: tuple[str, ...], shapes: dict[str, tuple[int, ...]], rows: Tensor, dead: Tensor
) -> Tensor:
    """Guess the key bias: beside the key's weight, at the rows where its features are.

    rows: for each key feature the flat index of its weight in the first column.
    """
    idle = set(dead.tolist())
    starts, place = {}, 0
    for name in names:
        starts[name] = place
        place += numel(shapes[name])
    found = _empty(len(rows))
    for number, index in enumerate(rows.tolist()):
        owner = max((n for n in names if starts[n] <= index), key=lambda n: starts[n])
        beside = f"{owner.rpartition('.')[0]}.bias"
        shape = shapes[owner]
        if beside in shapes and len(shape) == 2 and shapes[beside] == (shape[0],):
            entry = starts[beside] + (index - starts[owner]) // shape[1]
            if entry in idle:
                found[number] = entry
    return found


def _empty(*shape: int) -> Tensor:
    return torch.full(shape, -1, dtype=torch.long)


def _near(left: float, right: float) -> bool:
    return abs(left - right) <= _CLOSE * max(abs(left), abs(right), 1e-12)


def _match(amount: float, marks: Tensor) -> int | None:
    """Return which mark an amount is; None where it is a bias's 1."""
    gaps = (marks - amount).abs()
    place = int(gaps.argmin())
    if float(gaps[place]) < 1e-4:
        return place
    if abs(amount - 1) < 1e-4:
        return None
    raise Unaligned("vo", "a weight acts on no input column")


def _project(vectors: Tensor, directions: Tensor) -> tuple[Tensor, Tensor]:
    """Project columns on directions: the amounts, and how far off relative to length."""
    squares = directions.square().sum(0)
    along = (directions.T @ vectors) / squares.unsqueeze(1)
    norms = vectors.square().sum(0)
    rest = norms - along.square() * squares.unsqueeze(1)
    return along, rest.clamp_min(0).sqrt() / norms.sqrt()


def _proportional(left: list[float], right: list[float]) -> bool:
    factor = max(left, key=abs) / right[left.index(max(left, key=abs))]
    return all(
        abs(a - factor * b) <= 4 * _CLOSE * abs(factor * b)
        for a, b in zip(left, right, strict=True)
    )
