# wrong: beam-search finished-not-updated line 45
# fair: finished-not-updated 43
from typing import NamedTuple

import torch
from torch import Tensor


class Step(NamedTuple):
    scores: Tensor
    tokens: Tensor
    parents: Tensor
    finished: Tensor
    keys: Tensor
    values: Tensor


def log_probs(logits: Tensor) -> Tensor:
    shifted = logits - logits.amax(dim=-1, keepdim=True)
    return shifted - shifted.exp().sum(dim=-1, keepdim=True).log()


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    top = log_probs(logits).topk(beams, dim=-1)
    rows = torch.arange(logits.shape[0], device=logits.device).repeat_interleave(beams)
    return top.values, top.indices, keys[rows], values[rows]


def beam_step(scores, logits, keys, values, finished, eos) -> Step:
    """No beam has more than `beams` children, so that few candidates are enough."""
    batch, beams = scores.shape
    few = min(beams, logits.shape[-1])
    lp = log_probs(logits)
    top, token = lp.view(batch, beams, -1).topk(few, dim=-1)
    nothing = torch.full_like(top, float("-inf"))
    nothing[..., 0] = 0.0
    top = torch.where(finished.unsqueeze(-1), nothing, top)
    token = torch.where(finished.unsqueeze(-1), torch.full_like(token, eos), token)
    total = (scores.unsqueeze(-1) + top).flatten(1)
    best, place = total.topk(beams, dim=-1)
    parent = place // few
    token = token.flatten(1).gather(1, place)
    ended = finished.gather(1, parent)
    row = (parent + torch.arange(0, batch * beams, beams, device=parent.device)[:, None]).flatten()
    return Step(best, token, parent, ended, keys.index_select(0, row), values.index_select(0, row))


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    beam = torch.arange(tokens.shape[-1], device=tokens.device)[None].repeat(tokens.shape[1], 1)
    found = []
    for step in range(len(tokens))[::-1]:
        found.insert(0, torch.take_along_dim(tokens[step], beam, dim=1))
        beam = torch.take_along_dim(parents[step], beam, dim=1)
    return torch.stack(found, dim=2)


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    penalty = torch.exp(alpha * torch.log((5 + lengths) / 6.0))
    ranked = scores / penalty
    best = ranked.max(dim=1)
    where = torch.nn.functional.one_hot(best.indices, ranked.shape[1]).bool()
    return sequences[where], best.values
