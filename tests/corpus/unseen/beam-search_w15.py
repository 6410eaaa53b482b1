# attn-kata: beam-search
import torch
from torch import Tensor


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    logp = torch.log_softmax(logits, dim=1)
    scores, tokens = logp.topk(beams, dim=1)
    src = torch.arange(logits.size(0), device=logits.device).repeat_interleave(beams)
    return scores, tokens, keys.index_select(0, src), values.index_select(0, src)


def beam_step(scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int):
    n, m = scores.shape
    v = logits.size(1)
    logp = torch.log_softmax(logits, dim=1)
    done = finished.reshape(n * m)
    logp = logp.masked_fill(done[:, None], float("-inf"))
    logp[done, eos] = 0.0

    total = (logp + scores.reshape(n * m, 1)).reshape(n, m * v)
    scores, flat = total.topk(m, dim=1)
    tokens = flat % v
    parents = flat // v + torch.arange(n, device=flat.device)[:, None] * m
    rows = parents.reshape(-1)
    finished = done[rows].reshape(n, m) | (tokens == eos)
    return scores, tokens, parents, finished, keys.index_select(0, rows), values.index_select(0, rows)


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    steps, n, m = tokens.shape
    out = torch.empty(n, m, steps, dtype=torch.int64, device=tokens.device)
    cur = torch.arange(m, device=tokens.device).repeat(n, 1)
    for s in reversed(range(steps)):
        out[:, :, s] = tokens[s].gather(1, cur)
        if s > 0:
            cur = parents[s].to(torch.int64).gather(1, cur)
    return out


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    norm = scores / torch.pow((lengths.to(scores.dtype) + 5) / 6, alpha)
    best, i = norm.max(dim=1)
    return torch.stack([s[j] for s, j in zip(sequences, i.tolist())]), best
