# attn-kata: beam-search
import torch
from torch import einsum


def start_beams(logits, keys, values, beams):
    s, t = logits.log_softmax(-1).topk(beams)
    one = torch.ones(beams, dtype=keys.dtype, device=keys.device)
    k, v = (einsum("b...,k->bk...", c, one).flatten(0, 1) for c in (keys, values))
    return s, t, k, v


def beam_step(scores, logits, keys, values, finished, eos):
    b, k = scores.shape
    v = logits.shape[-1]
    lp = logits.log_softmax(-1).unflatten(0, (b, k))
    wall = torch.zeros(v, dtype=lp.dtype, device=lp.device).fill_(float("-inf"))
    wall[eos] = 0.0
    lp = torch.where(finished.unsqueeze(-1), wall, lp)
    s, flat = (scores.unsqueeze(-1) + lp).flatten(1).topk(k)
    p, t = flat // v, flat % v
    i = p[:, :, None, None, None]
    move = lambda c: c.unflatten(0, (b, k)).take_along_dim(i, dim=1).flatten(0, 1)
    return s, t, p, finished.take_along_dim(p, dim=1) | (t == eos), move(keys), move(values)


def trace_back(tokens, parents):
    t, b, k = tokens.shape
    hist = tokens[0].clone()[..., None]
    for n in range(1, t):
        hist = hist.take_along_dim(parents[n].long()[..., None], dim=1)
        hist = torch.cat((hist, tokens[n][..., None]), dim=-1)
    return hist


def best_sequence(sequences, scores, lengths, alpha):
    n = torch.arange(scores.shape[0], device=scores.device)
    best = scores.argmax(dim=-1)
    sequence, score, length = sequences[n, best], scores[n, best], lengths[n, best]
    return sequence, score / ((5 + length.to(score.dtype)) / 6) ** alpha
