from __future__ import annotations

from collections import deque
from functools import reduce

import torch
from torch import Tensor

NEG = float("-inf")


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    logp = logits - logits.logsumexp(-1, keepdim=True)
    top = logp.topk(beams)
    spread = lambda c: c.unsqueeze(1).expand(-1, beams, *c.shape[1:]).flatten(0, 1)
    return top.values, top.indices, spread(keys), spread(values)


def _candidates(score: Tensor, logp: Tensor, done: Tensor, eos: int) -> Tensor:
    """All continuations of one sample, (beams, vocab)."""
    frozen = torch.full_like(logp, NEG)
    frozen[:, eos] = score
    return torch.where(done[:, None], frozen, score[:, None] + logp)


def beam_step(scores, logits, keys, values, finished, eos):
    batch, beams = scores.shape
    vocab = logits.size(-1)
    logp = (logits - logits.logsumexp(-1, keepdim=True)).split(beams)
    cols = [[], [], [], [], [], []]
    for b in range(batch):
        top = _candidates(scores[b], logp[b], finished[b], eos).flatten().topk(beams)
        par, tok = top.indices // vocab, top.indices % vocab
        end = finished[b][par] | (tok == eos)
        row = b * beams + par
        for col, x in zip(cols, (top.values, tok, par, end, keys[row], values[row])):
            col.append(x)
    return tuple(torch.stack(c) for c in cols[:4]) + tuple(torch.cat(c) for c in cols[4:])


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    _, batch, beams = tokens.shape
    spot = torch.arange(beams, device=tokens.device).tile(batch, 1)
    found: deque[Tensor] = deque()

    def up(spot: Tensor, step: tuple[Tensor, Tensor]) -> Tensor:
        tok, par = step
        spot = par.long().gather(1, spot)
        found.appendleft(tok.gather(1, spot))
        return spot

    reduce(up, zip(tokens.flip(0), parents.flip(0)), spot)
    return torch.stack(tuple(found), -1)


def best_sequence(sequences, scores, lengths, alpha):
    fair = scores / ((5 + lengths) / 6) ** alpha
    win = fair.argmax(1)
    n = torch.arange(win.numel(), device=win.device)
    return sequences[n, win], fair[n, win]
