import torch
import torch.nn.functional as F

NEG = float("-inf")


def _logp(logits):
    return F.log_softmax(logits, -1, dtype=torch.promote_types(logits.dtype, torch.float32))


def start_beams(logits, keys, values, beams):
    scores, tokens = _logp(logits).topk(beams, dim=-1)
    rep = lambda x: x.repeat_interleave(beams, dim=0)
    return scores.to(logits.dtype), tokens, rep(keys), rep(values)


def beam_step(scores, logits, keys, values, finished, eos):
    B, K = scores.shape
    V = logits.shape[-1]
    dev = scores.device

    logp = _logp(logits).view(B, K, V)
    stay = torch.full((V,), NEG, dtype=logp.dtype, device=dev)
    stay[eos] = 0.0
    logp = torch.where(finished.bool()[..., None], stay, logp)

    cand = (scores[..., None] + logp).flatten(1)           # (B, K * V)
    best, ix = cand.topk(K, dim=-1)
    parents, tokens = ix // V, ix % V

    finished = finished.bool().gather(1, parents) | (tokens == eos)
    rows = (parents + K * torch.arange(B, device=dev)[:, None]).flatten()
    return best.to(scores.dtype), tokens, parents, finished, keys[rows], values[rows]


def trace_back(tokens, parents):
    S, B, K = tokens.shape
    out = tokens.new_empty(B, K, S)
    at = torch.arange(K, device=tokens.device).expand(B, K)
    for t in reversed(range(S)):
        out[..., t] = tokens[t].gather(1, at)
        if t:
            at = parents[t].long().gather(1, at)
    return out


def best_sequence(sequences, scores, lengths, alpha):
    penalized = scores / ((5 + lengths.to(scores.dtype)) / 6) ** alpha
    value, i = penalized.max(dim=1)
    return sequences[torch.arange(len(i), device=i.device), i], value.to(scores.dtype)
