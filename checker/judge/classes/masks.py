"""Mask forms, kinds and conventions.

A form names the axes of a mask: B samples, H heads, Q queries, K keys, 1 for an axis
that is there and has one entry. Inside the judge every mask is (B, H or 1, Q, K) and
boolean, True where a query may attend; only on the way to the candidate does it take
the form, convention and dtype that the candidate is tried with.
"""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["ADAPTED_FORMS", "draw", "dress", "for_reference", "form_name", "full_rows"]

# What a submission may want instead of its kata's own forms, in the order of the tries.
ADAPTED_FORMS = ("BQK", "B1QK", "BHQK", "BK", "B11K", "B1K", "QK", "11QK", "1QK")


def draw(
    kind: str, form: str, sizes: tuple[int, int, int, int], generator: torch.Generator
) -> Tensor:
    """Draw a mask (B, H or 1, Q or 1, K) that the form can express.

    sizes: samples, heads, queries, keys. kind: random, padding (keys beyond a sample's
    length), causal (aligned at the end), single (one key a query), empty (random, with
    some queries that may attend to nothing) or mixed (random, every query and, where
    there are as many, every key with something kept and something hidden, so that a
    mask read the wrong way round leaves no row empty either).
    """
    samples, heads, queries, keys = sizes
    heads = heads if "H" in form else 1
    queries = queries if "Q" in form else 1
    shape = (samples if "B" in form else 1, heads, queries, keys)
    if kind == "padding":
        lengths = torch.randint(1, keys + 1, (shape[0], 1, 1, 1), generator=generator)
        return (torch.arange(keys) < lengths).expand(shape).clone()
    if kind == "causal" and "Q" in form:
        return (
            torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries).expand(shape).clone()
        )
    mask = torch.rand(shape, generator=generator) < 0.6
    if kind == "mixed":
        place = torch.arange(queries)
        mask[..., place, place % keys] = True
        mask[..., place, (place + 1) % keys] = False
        return mask
    sure = torch.randint(keys, (*shape[:3], 1), generator=generator)
    one = torch.zeros(shape, dtype=torch.bool).scatter_(3, sure, value=True)
    if kind == "single":
        return one
    mask |= one
    if kind == "empty":
        rows = torch.rand((*shape[:3], 1), generator=generator) < 0.3
        rows.view(-1)[0] = True
        mask &= ~rows
    return mask


def full_rows(mask: Tensor, queries: int) -> Tensor:
    """Say which queries have something to attend to in every head, (B, Q, 1)."""
    able = mask.any(-1).all(1)
    return able.expand(mask.shape[0], queries).unsqueeze(-1)


def dress(
    mask: Tensor, form: str, convention: str, dtype: torch.dtype, work: torch.dtype
) -> Tensor:
    """Give a mask the form, convention (keep, drop or additive) and dtype for the candidate.

    work: the dtype that the candidate computes in, which an additive mask has.
    """
    if convention == "additive":
        shaped = torch.zeros(mask.shape, dtype=work).masked_fill(~mask, float("-inf"))
    else:
        shaped = (mask if convention == "keep" else ~mask).to(dtype)
    if form in {"BHQK", "B1QK", "B11K"}:
        return shaped
    if form == "11QK":
        return shaped[:1]
    if form in {"BQK", "B1K", "1QK"}:
        return shaped[:, 0]
    if form == "BK":
        return shaped[:, 0, 0]
    return shaped[0, 0]


def form_name(form: str) -> str:
    """A form as people write shapes: `BHQK` is (B,H,Tq,Tk)."""
    names = {"B": "B", "H": "H", "Q": "Tq", "K": "Tk", "1": "1"}
    return "(" + ",".join(names[axis] for axis in form) + ")"


def for_reference(mask: Tensor, forms: tuple[str, ...], sizes: tuple[int, int, int, int]) -> Tensor:
    """Give a mask the shape that the reference takes."""
    samples, _, queries, keys = sizes
    if any("H" in form for form in forms):
        return mask
    return mask[:, 0].expand(samples, queries, keys)
