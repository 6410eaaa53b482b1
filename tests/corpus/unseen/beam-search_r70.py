import heapq
from typing import NamedTuple

import torch


class Candidate(NamedTuple):
    score: float
    parent: int
    token: int
    done: bool


def _logp(row):
    shifted = row - row.max()
    return shifted - shifted.exp().sum().log()


def start_beams(logits, keys, values, beams):
    scores, tokens = [], []
    for row in logits:
        lp = _logp(row)
        ids = heapq.nlargest(beams, range(len(row)), key=lp.tolist().__getitem__)
        tokens.append(ids)
        scores.append([lp[i].item() for i in ids])
    where = [b for b in range(len(logits)) for _ in range(beams)]
    return logits.new_tensor(scores), torch.tensor(tokens, device=logits.device), keys[where], values[where]


def _continuations(score, row, done, eos, parent):
    if done:
        yield Candidate(score, parent, eos, True)
        return
    for token, lp in enumerate(_logp(row).tolist()):
        yield Candidate(score + lp, parent, token, token == eos)


def beam_step(scores, logits, keys, values, finished, eos):
    B, K = scores.shape
    kept = []
    for b in range(B):
        pool = []
        for k in range(K):
            pool += _continuations(scores[b, k].item(), logits[b * K + k], bool(finished[b, k]), eos, k)
        kept.append(heapq.nlargest(K, pool))
    pick = lambda f, **kw: torch.tensor([[getattr(c, f) for c in row] for row in kept], device=scores.device, **kw)
    src = [b * K + c.parent for b, row in enumerate(kept) for c in row]
    return (pick("score", dtype=scores.dtype), pick("token"), pick("parent"),
            pick("done", dtype=torch.bool), keys[src], values[src])


def trace_back(tokens, parents):
    steps, B, K = tokens.shape

    def walk(t, b, k):
        before = walk(t - 1, b, int(parents[t, b, k])) if t else []
        return before + [int(tokens[t, b, k])]

    return torch.tensor([[walk(steps - 1, b, k) for k in range(K)] for b in range(B)], device=tokens.device)


def best_sequence(sequences, scores, lengths, alpha):
    norm = scores / ((5 + lengths) / 6).to(scores) ** alpha
    win = norm.argmax(-1, keepdim=True)
    chosen = torch.gather(sequences, 1, win[..., None].expand(-1, -1, sequences.shape[-1]))
    return chosen.squeeze(1), norm.gather(1, win).squeeze(1)
