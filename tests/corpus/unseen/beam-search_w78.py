from __future__ import annotations
import torch
from torch import Tensor


def start_beams(logits: Tensor, keys: Tensor, values: Tensor, beams: int):
    lp = logits - logits.logsumexp(-1, keepdim=True)
    top = lp.topk(beams)
    rep = torch.arange(logits.shape[0], device=logits.device).repeat_interleave(beams)
    return top.values, top.indices, keys[rep], values[rep]


def beam_step(scores: Tensor, logits: Tensor, keys: Tensor, values: Tensor, finished: Tensor, eos: int):
    B, K = scores.shape
    V = logits.shape[1]
    step = logits.reshape(B, K, V).clone()
    step[finished] = -torch.inf
    step[..., eos][finished] = 0.0
    cand = (scores.unsqueeze(2) + step).reshape(B, -1)
    s, flat = torch.sort(cand, dim=1, descending=True)
    s, flat = s[:, :K], flat[:, :K]
    par, tok = flat.div(V, rounding_mode="floor"), flat.remainder(V)
    base = K * torch.arange(B, device=par.device).view(B, 1)
    sel = (par + base).view(-1)
    fin = torch.gather(finished, 1, par) + (tok == eos)
    return s, tok, par, fin, keys[sel], values[sel]


def trace_back(tokens: Tensor, parents: Tensor) -> Tensor:
    n = tokens.shape[0]
    res = torch.empty(*tokens.shape[1:], n, dtype=tokens.dtype, device=tokens.device)
    at = torch.arange(tokens.shape[2], device=tokens.device).repeat(tokens.shape[1], 1)
    for s in range(n - 1, -1, -1):
        res[..., s] = torch.gather(tokens[s], 1, at)
        at = torch.gather(parents[s].long(), 1, at)
    return res


def best_sequence(sequences: Tensor, scores: Tensor, lengths: Tensor, alpha: float):
    lp = torch.pow((5.0 + lengths.to(scores.dtype)) / 6.0, alpha)
    adj = scores / lp
    best = adj.argmax(dim=1)
    b = torch.arange(len(best), device=best.device)
    return sequences[b, best], adj[b, best]
