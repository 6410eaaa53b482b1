from __future__ import annotations

import torch
from torch import Tensor

NEG = float("-inf")
GNMT_K = 5.0


def _rows(t: Tensor, index: Tensor) -> Tensor:
    """t: [B * K, ...], index: [B, K] within a sample -> the rows it names, [B * K, ...]."""
    B, K = index.shape
    assert t.shape[0] == B * K
    base = torch.arange(0, B * K, K, device=t.device)[:, None]
    return t.index_select(0, (base + index.long()).reshape(B * K))


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    B, V = logits.shape
    assert 1 <= beams <= V
    assert keys.shape[0] == values.shape[0] == B
    order = logits.argsort(dim=1, descending=True)[:, :beams]
    scores = logits.gather(1, order) - logits.logsumexp(1, keepdim=True)
    copy = torch.arange(B, device=keys.device).repeat_interleave(beams)
    return scores, order, keys[copy], values[copy]


def beam_step(scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int):
    B, K = scores.shape
    V = logits.shape[1]
    assert logits.shape == (B * K, V) and finished.shape == (B, K)
    assert 0 <= eos < V

    gain = logits.log_softmax(1).view(B, K, V)
    only_eos = torch.full((V,), NEG, dtype=gain.dtype, device=gain.device)
    only_eos[eos] = 0.0
    gain = torch.where(finished[:, :, None], only_eos, gain)

    flat = (scores[:, :, None] + gain).view(B, K * V)
    best, place = flat.topk(K, dim=1, sorted=True)
    parent = place.div(V, rounding_mode="floor")
    token = place.remainder(V)
    done = finished.gather(1, parent).logical_or(token.eq(eos))
    return best, token, parent, done, _rows(keys, parent), _rows(values, parent)


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    T, B, K = tokens.shape
    assert parents.shape == (T, B, K)
    out = tokens.new_empty(B, K, T)
    at = torch.arange(K, device=tokens.device).expand(B, K)
    for t in range(T - 1, -1, -1):
        out[:, :, t] = tokens[t].gather(1, at)
        if t:
            at = parents[t].long().gather(1, at)
    return out


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    B, K, T = sequences.shape
    norm = ((GNMT_K + lengths.to(scores.dtype)) / (GNMT_K + 1.0)).pow(alpha)
    final = scores / norm
    which = final.argmax(1)
    sample = torch.arange(B, device=which.device)
    return sequences[sample, which], final[sample, which]
