# wrong: beam-search beam-index-split line 29
import torch
from torch import Tensor
from typing import NamedTuple


class Shape(NamedTuple):
    n: int  # samples
    m: int  # beams
    v: int  # vocabulary


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    logp = logits - logits.logsumexp(dim=-1, keepdim=True)
    scores, tokens = logp.topk(beams, dim=-1)
    n = logits.shape[0]
    ids = torch.arange(n, device=logits.device)[:, None].expand(n, beams).reshape(-1)
    return scores, tokens, keys[ids], values[ids]


def beam_step(scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int):
    sh = Shape(*scores.shape, logits.shape[-1])
    logp = (logits - logits.logsumexp(dim=-1, keepdim=True)).reshape(sh)
    is_eos = torch.arange(sh.v, device=logits.device).eq(eos)
    logp = logp.masked_fill(finished[:, :, None] & ~is_eos, -torch.inf)
    logp = logp.masked_fill(finished[:, :, None] & is_eos, 0.0)
    best, place = (scores[:, :, None] + logp).reshape(sh.n, sh.m * sh.v).topk(sh.m, dim=1)
    parents = place // sh.v
    tokens = place % sh.m
    done = finished.gather(1, parents) | tokens.eq(eos)
    rows = torch.arange(sh.n, device=logits.device)[:, None]
    k = keys.reshape(sh.n, sh.m, *keys.shape[1:])[rows, parents].flatten(0, 1)
    v = values.reshape(sh.n, sh.m, *values.shape[1:])[rows, parents].flatten(0, 1)
    return best, tokens, parents, done, k, v


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    history = tokens[:1].clone()
    for tok, par in zip(tokens[1:], parents[1:]):
        moved = history.gather(2, par.long().expand_as(history))
        history = torch.cat([moved, tok[None]], dim=0)
    return history.permute(1, 2, 0)


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    norm = scores / ((lengths.to(scores.dtype) + 5) / 6) ** alpha
    top = norm.max(dim=1)
    return sequences[torch.arange(len(norm), device=norm.device), top.indices], top.values
