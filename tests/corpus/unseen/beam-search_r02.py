# attn-kata: beam-search
from __future__ import annotations

import torch
from torch import Tensor, einsum


def _one_hot(ids: Tensor, n: int, dtype) -> Tensor:
    return (ids[..., None] == torch.arange(n, device=ids.device)).to(dtype)


def _pick(select: Tensor, cache: Tensor) -> Tensor:
    """select: b new old; cache: (b old) h t d."""
    b, k, _ = select.shape
    grouped = cache.unflatten(0, (b, k))
    return einsum("bno,bohtd->bnhtd", select.to(cache.dtype), grouped).flatten(0, 1)


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    log_z = torch.logsumexp(logits, dim=-1, keepdim=True)
    top, tokens = torch.topk(logits, beams)
    ones = torch.ones(beams, dtype=keys.dtype, device=keys.device)
    tile = lambda c: einsum("bhtd,k->bkhtd", c, ones).flatten(0, 1)
    return top - log_z, tokens, tile(keys), tile(values)


def beam_step(scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int):
    b, k = scores.shape
    v = logits.shape[-1]
    logp = (logits - torch.logsumexp(logits, -1, keepdim=True)).unflatten(0, (b, k))
    is_eos = torch.arange(v, device=logits.device) == eos
    closed = torch.where(is_eos, 0.0, -torch.inf).to(logp.dtype)
    logp = torch.where(finished[:, :, None], closed, logp)
    best, flat = torch.topk((scores[..., None] + logp).flatten(1), k)
    parents = torch.div(flat, v, rounding_mode="floor")
    tokens = torch.remainder(flat, v)
    sel = _one_hot(parents, k, scores.dtype)
    was_done = einsum("bno,bo->bn", sel, finished.to(scores.dtype)) > 0.5
    return best, tokens, parents, was_done | (tokens == eos), _pick(sel, keys), _pick(sel, values)


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, _, k = tokens.shape
    # path[b, n, o] = 1 where beam n of the last step passes through beam o
    path = torch.eye(k, dtype=torch.float64, device=tokens.device).expand(tokens.shape[1], k, k)
    cols = [None] * steps
    for s in range(steps - 1, -1, -1):
        cols[s] = einsum("bno,bo->bn", path, tokens[s].double())
        if s:
            path = einsum("bno,bop->bnp", path, _one_hot(parents[s], k, torch.float64))
    return torch.stack(cols, -1).round().long()


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    penalty = torch.pow((5.0 + lengths.to(scores.dtype)) / 6.0, alpha)
    penalized = scores / penalty
    i = penalized.argmax(-1, keepdim=True)
    return (
        torch.take_along_dim(sequences, i[..., None], dim=1).squeeze(1),
        torch.take_along_dim(penalized, i, dim=1).squeeze(1),
    )
