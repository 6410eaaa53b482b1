from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    order = logits.argsort(dim=-1, descending=True)[:, :beams]
    scores = F.log_softmax(logits, -1).gather(-1, order)

    def fan_out(t: Tensor) -> Tensor:
        return t.unsqueeze(1).expand(-1, beams, *t.shape[1:]).flatten(0, 1).clone()

    return scores, order, fan_out(keys), fan_out(values)


def beam_step(scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int):
    batch, beams = scores.shape
    logp = F.log_softmax(logits, dim=-1).unflatten(0, (batch, beams))
    frozen = torch.full_like(logp[0, 0], float("-inf")).index_fill(0, torch.tensor([eos], device=logp.device), 0.0)
    logp = torch.where(finished.unsqueeze(-1), frozen, logp)
    candidates = scores.unsqueeze(-1) + logp
    best, flat = candidates.flatten(1).topk(beams, dim=1, sorted=True)
    parents, tokens = torch.unravel_index(flat, (beams, logp.size(-1)))
    sample = torch.arange(batch, device=scores.device).unsqueeze(1)
    rows = (sample * beams + parents).reshape(-1)
    ended = finished[sample, parents] | tokens.eq(eos)
    return best, tokens, parents, ended, keys.index_select(0, rows), values.index_select(0, rows)


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    tokens, parents = tokens.long(), parents.long()
    # forward: the growing table of histories is reordered at each step
    history = tokens[0].unsqueeze(-1)
    for tok, par in zip(tokens[1:], parents[1:]):
        history = torch.take_along_dim(history, par.unsqueeze(-1), dim=1)
        history = torch.cat((history, tok.unsqueeze(-1)), dim=-1)
    return history


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    penalized = scores / lengths.to(scores.dtype).add(5).div(6).pow(alpha)
    top = penalized.max(dim=1)
    return sequences[torch.arange(len(scores), device=scores.device), top.indices], top.values
