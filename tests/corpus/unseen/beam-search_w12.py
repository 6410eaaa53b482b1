# attn-kata: beam-search
from __future__ import annotations

import logging

import torch
from torch import Tensor

log = logging.getLogger(__name__)


def _check(scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int) -> None:
    if scores.shape != finished.shape:
        raise ValueError(f"scores {tuple(scores.shape)} and finished {tuple(finished.shape)} differ")
    if keys.shape[0] != scores.numel() or values.shape[0] != scores.numel():
        raise ValueError("the caches need one row for each beam")
    if not 0 <= eos < logits.shape[-1]:
        raise ValueError(f"eos {eos} is outside of the vocabulary")


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    if beams < 1 or beams > logits.shape[-1]:
        raise ValueError(f"beams is {beams}")
    scores, tokens = logits.log_softmax(-1).topk(beams, dim=-1)
    log.debug("started %d beams for %d samples", beams, logits.shape[0])
    return scores, tokens, keys.repeat_interleave(beams, dim=0), values.repeat_interleave(beams, dim=0)


def beam_step(scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int):
    _check(scores, logits, keys, values, finished, eos)
    batch, beams = scores.shape
    vocab = logits.shape[-1]
    logp = logits.log_softmax(-1).reshape(batch, beams, vocab)

    out = []
    for b in range(batch):
        if finished[b].all():
            # nothing to search here: all of them stay
            log.debug("sample %d is complete", b)
            stay = torch.arange(beams, device=scores.device)
            out.append((scores[b], torch.full_like(stay, eos), stay))
            continue
        cand = scores[b, :, None] + logp[b]
        cand[finished[b]] = float("-inf")
        cand[finished[b], eos] = scores[b, finished[b]]
        best, place = cand.flatten().topk(beams)
        out.append((best, place % vocab, place // vocab))

    new_scores, tokens, parents = (torch.stack(x) for x in zip(*out))
    new_finished = finished.gather(1, parents) | (tokens == eos)
    rows = (torch.arange(batch, device=scores.device)[:, None] * beams + parents).flatten()
    return new_scores, tokens, parents, new_finished, keys[rows], values[rows]


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    if tokens.shape != parents.shape:
        raise ValueError("tokens and parents differ in shape")
    steps, batch, beams = tokens.shape
    current = torch.arange(beams, device=tokens.device).expand(batch, beams)
    columns: list[Tensor] = []
    for step in range(steps - 1, -1, -1):
        columns.append(tokens[step].gather(1, current))
        if step:
            current = parents[step].long().gather(1, current)
    return torch.stack(columns[::-1], dim=-1)


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    if alpha < 0:
        raise ValueError("alpha is negative")
    penalized = scores / ((5 + lengths.to(scores.dtype)) / 6) ** alpha
    value, index = penalized.max(dim=1)
    return sequences[torch.arange(len(index), device=index.device), index], value
