# attn-kata: beam-search
import torch
from torch.nn import functional as F


def start_beams(logits, keys, values, beams):
    logp = F.log_softmax(logits, dim=-1) # (B, V)
    scores, tokens = logp.topk(beams, dim=-1) # (B, K)
    # row b -> rows b*K .. b*K+K-1
    keys = keys.repeat_interleave(beams, dim=0)
    values = values.repeat_interleave(beams, dim=0)
    return scores, tokens, keys, values


def beam_step(scores, logits, keys, values, finished, eos):
    B, K = scores.size()
    V = logits.size(-1)
    logp = F.log_softmax(logits, dim=-1).reshape(B, K, V) # fresh tensor, ok to write into
    logp[finished] = float('-inf')
    logp[..., eos][finished] = 0.0
    cand = (scores.unsqueeze(-1) + logp).reshape(B, K * V)
    scores, idx = cand.topk(K, dim=-1)
    parents, tokens = idx // V, idx % V
    # a finished parent can only emit eos, so this covers both cases
    finished = tokens == eos
    rows = (parents + K * torch.arange(B, device=idx.device).unsqueeze(1)).reshape(-1)
    return scores, tokens, parents, finished, keys[rows], values[rows]


def trace_back(tokens, parents):
    T, B, K = tokens.size()
    tokens, parents = tokens.long(), parents.long()
    at = torch.arange(K, device=tokens.device).repeat(B, 1)
    out = []
    for t in reversed(range(T)):
        out.append(tokens[t].gather(1, at))
        if t > 0:
            at = parents[t].gather(1, at)
    return torch.stack(out[::-1], dim=-1)


def best_sequence(sequences, scores, lengths, alpha):
    lp = ((5 + lengths.to(scores.dtype)) / 6) ** alpha
    best, i = (scores / lp).max(dim=1)
    return sequences[torch.arange(len(i), device=i.device), i], best
