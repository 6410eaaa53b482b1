from __future__ import annotations

import torch
from torch import Tensor


def reorder_cache(cache: tuple[Tensor, ...], parents: Tensor) -> tuple[Tensor, ...]:
    flat = parents.reshape(-1)
    return tuple(t.index_select(0, flat) for t in cache)


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    lp = torch.log_softmax(logits, dim=-1)
    order = lp.argsort(dim=-1, descending=True)[:, :beams]
    rows = torch.arange(logits.shape[0], device=logits.device).repeat_interleave(beams)
    return lp.gather(-1, order), order, keys[rows], values[rows]


def beam_step(scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int):
    batch, beams = scores.shape
    vocab = logits.shape[-1]
    lp = torch.log_softmax(logits, dim=-1).view(batch, beams, vocab)
    is_eos = torch.arange(vocab, device=logits.device) == eos
    lp = lp.masked_fill(finished[..., None] & ~is_eos, float("-inf"))
    lp = lp.masked_fill(finished[..., None] & is_eos, 0.0)
    cand = (scores[..., None] + lp).view(batch, beams * vocab)
    best, idx = cand.topk(beams, dim=-1)
    parents = idx // vocab
    tokens = idx % vocab
    new_finished = torch.gather(finished, 1, parents) | (tokens == eos)
    new_keys, new_values = reorder_cache((keys, values), parents)
    return best, tokens, parents, new_finished, new_keys, new_values


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, batch, beams = tokens.shape
    out = torch.empty(batch, beams, steps, dtype=tokens.dtype, device=tokens.device)
    ptr = torch.arange(beams, device=tokens.device).repeat(batch, 1)
    for s in range(steps - 1, -1, -1):
        out[:, :, s] = tokens[s].gather(1, ptr)
        ptr = parents[s].long().gather(1, ptr) if s > 0 else ptr
    return out


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    penalized = scores / (((5.0 + lengths) / 6.0) ** alpha).to(scores.dtype)
    i = penalized.argmax(dim=-1)
    b = torch.arange(i.numel(), device=i.device)
    return sequences[b, i], penalized[b, i]
