from __future__ import annotations

import torch
from torch import Tensor


class _Rows:
    """Between (batch, beams) and the model's batch of batch * beams rows."""

    def __init__(self, batch: int, beams: int, device: torch.device) -> None:
        self.batch, self.beams = batch, beams
        self.first = torch.arange(batch, device=device).unsqueeze(1) * beams

    def pick(self, cache: Tensor, parents: Tensor) -> Tensor:
        return cache.index_select(0, (parents + self.first).flatten())


def start_beams(
    logits: Tensor, keys: Tensor, values: Tensor, beams: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    scores, tokens = logits.log_softmax(dim=-1).sort(dim=-1, descending=True)
    copies = [c.repeat_interleave(beams, dim=0) for c in (keys, values)]
    return scores[:, :beams], tokens[:, :beams], *copies


def beam_step(
    scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    batch, beams = scores.shape
    vocab = logits.shape[-1]
    rows = _Rows(batch, beams, logits.device)

    only_eos = torch.full((vocab,), float("-inf"), dtype=logits.dtype, device=logits.device)
    only_eos[eos] = 0
    gain = logits.log_softmax(-1).unflatten(0, (batch, beams))
    gain = torch.where(finished.bool().unsqueeze(-1), only_eos, gain)

    best, place = (scores.unsqueeze(-1) + gain).flatten(1).topk(beams, dim=1)
    parents = torch.div(place, vocab, rounding_mode="floor")
    tokens = place - parents * vocab
    done = finished.bool().gather(1, parents).logical_or(tokens.eq(eos))
    return best, tokens, parents, done, rows.pick(keys, parents), rows.pick(values, parents)


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, batch, beams = tokens.shape
    at = torch.arange(beams, device=tokens.device).repeat(batch, 1)
    columns: list[Tensor] = []
    for step in range(steps - 1, -1, -1):
        columns.insert(0, tokens[step].gather(1, at))
        if step:
            at = parents[step].long().gather(1, at)
    return torch.stack(columns, dim=-1)


def best_sequence(
    sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float
) -> tuple[Tensor, Tensor]:
    norm = ((lengths.to(scores.dtype) + 5) / 6).pow(alpha)
    value, which = (scores / norm).max(dim=1)
    return sequences[torch.arange(len(which), device=which.device), which], value
