# Beams as Python objects, one sample at a time; tensors only at the border.
from __future__ import annotations

import heapq
from dataclasses import dataclass, field

import torch


@dataclass(order=True)
class Candidate:
    score: float
    parent: int = field(compare=False)
    token: int = field(compare=False)
    done: bool = field(compare=False, default=False)


def start_beams(logits, keys, values, beams):
    best = logits.log_softmax(-1).topk(beams)
    spread = lambda t: t[:, None].expand(-1, beams, *t.shape[1:]).reshape(-1, *t.shape[1:])  # noqa: E731
    return best.values, best.indices, spread(keys), spread(values)


def candidates(score, row, over, eos, width):
    for k, (s, logp, done) in enumerate(zip(score, row, over)):
        if done:
            yield Candidate(s, k, eos, True)
            continue
        # no beam can give more than `width` of the winners
        for z, token in zip(*(t.tolist() for t in logp.topk(min(width, len(logp))))):
            yield Candidate(s + z, k, token, token == eos)


def beam_step(scores, logits, keys, values, finished, eos):
    batch, beams = scores.shape
    logp = logits.log_softmax(-1).unflatten(0, (batch, beams))
    new = [
        heapq.nlargest(beams, candidates(scores[b].tolist(), logp[b], finished[b].tolist(), eos, beams))
        for b in range(batch)
    ]
    pull = lambda name, dtype: torch.tensor(  # noqa: E731
        [[getattr(c, name) for c in row] for row in new], dtype=dtype, device=scores.device)
    parents = pull("parent", torch.int64)
    rows = [b * beams + c.parent for b, row in enumerate(new) for c in row]
    return (
        pull("score", scores.dtype), pull("token", torch.int64), parents, pull("done", torch.bool),
        keys[rows], values[rows],
    )


def trace_back(tokens, parents):
    steps, batch, beams = tokens.shape

    def path(step, b, k):
        history = []
        while step >= 0:
            history.append(int(tokens[step, b, k]))
            k = int(parents[step, b, k]) if step else k
            step -= 1
        return history[::-1]

    found = [[path(steps - 1, b, k) for k in range(beams)] for b in range(batch)]
    return torch.tensor(found, dtype=tokens.dtype, device=tokens.device)


def best_sequence(sequences, scores, lengths, alpha):
    penalized = scores / ((5 + lengths.to(scores.dtype)) / 6) ** alpha
    winners = penalized.argmax(1)
    picked = [s[w] for s, w in zip(sequences, winners.tolist())]
    return torch.stack(picked), torch.stack([p[w] for p, w in zip(penalized, winners)])
