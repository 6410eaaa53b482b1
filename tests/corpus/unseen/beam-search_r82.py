from __future__ import annotations

import heapq
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(order=True)
class Candidate:
    score: float
    parent: int
    token: int
    over: bool


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    logp = logits - logits.logsumexp(dim=1, keepdim=True)
    ranking = logp.argsort(dim=1, descending=True)[:, :beams]

    def copies(cache: Tensor) -> Tensor:
        return torch.stack([cache] * beams, dim=1).flatten(0, 1)

    return logp.take_along_dim(ranking, dim=1), ranking, copies(keys), copies(values)


def beam_step(
    scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Sample by sample, with a heap of python objects; only the numbers at the end are tensors again."""
    batch, beams = scores.shape
    logp = (logits - logits.logsumexp(1, keepdim=True)).unflatten(0, (batch, beams))
    chosen: list[list[Candidate]] = []
    for b in range(batch):
        pool: list[Candidate] = []
        for k in range(beams):
            so_far = scores[b, k].item()
            if finished[b, k]:
                pool.append(Candidate(so_far, k, eos, True))
                continue
            # no more than `beams` of one parent's children can survive
            top = logp[b, k].topk(min(beams, logp.size(-1)))
            for gain, token in zip(top.values.tolist(), top.indices.tolist()):
                pool.append(Candidate(so_far + gain, k, token, token == eos))
        chosen.append(heapq.nlargest(beams, pool))

    def table(field: str, dtype: torch.dtype) -> Tensor:
        return torch.tensor([[getattr(c, field) for c in row] for row in chosen], dtype=dtype, device=scores.device)

    parents = table("parent", torch.long)
    rows = (torch.arange(batch, device=scores.device)[:, None] * beams + parents).flatten()
    return (
        table("score", scores.dtype), table("token", torch.long), parents, table("over", torch.bool),
        keys[rows], values[rows],
    )  # fmt: skip


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    # forwards: histories are carried along and reordered, as a decoder without parents would do
    story = tokens[0].unsqueeze(-1)
    for took, came_from in zip(tokens[1:], parents[1:]):
        story = story.take_along_dim(came_from.long().unsqueeze(-1), dim=1)
        story = torch.cat([story, took.unsqueeze(-1)], dim=-1)
    return story


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float) -> tuple[Tensor, Tensor]:
    penalty = torch.exp(alpha * torch.log((lengths.to(scores) + 5) / 6))
    penalized = scores / penalty
    best = penalized.argmax(dim=1)
    return sequences[range(len(best)), best.tolist()], penalized.gather(1, best[:, None]).squeeze(1)
