# attn-kata: beam-search
import torch
import torch.nn.functional as F


def start_beams(logits, keys, values, beams):
    """logits: (B, V); keys, values: (B, H, T, D)"""
    log_probs = F.log_softmax(logits, dim=-1)
    scores, tokens = log_probs.topk(beams, dim=-1)

    def tile(cache):
        return cache.repeat(beams, 1, 1, 1)

    return scores, tokens, tile(keys), tile(values)


def beam_step(scores, logits, keys, values, finished, eos):
    B, K = scores.shape
    V = logits.shape[-1]
    log_probs = F.log_softmax(logits, dim=-1).reshape(B, K, V)

    only_eos = torch.full((V,), float("-inf"), dtype=log_probs.dtype, device=log_probs.device)
    only_eos[eos] = 0.0
    log_probs = torch.where(finished.unsqueeze(-1), only_eos, log_probs)

    candidates = scores.unsqueeze(-1) + log_probs
    new_scores, idx = candidates.reshape(B, K * V).topk(K, dim=-1)
    parents = idx // V
    tokens = idx % V
    new_finished = finished.gather(1, parents) | (tokens == eos)

    base = torch.arange(B, device=scores.device).unsqueeze(1) * K
    rows = (base + parents).flatten()
    return new_scores, tokens, parents, new_finished, keys[rows], values[rows]


def trace_back(tokens, parents):
    S, B, K = tokens.shape
    ptr = torch.arange(K, device=tokens.device).expand(B, K)
    cols = []
    for s in range(S - 1, -1, -1):
        cols.append(tokens[s].gather(1, ptr))
        if s > 0:
            ptr = parents[s].long().gather(1, ptr)
    cols.reverse()
    return torch.stack(cols, dim=2)


def best_sequence(sequences, scores, lengths, alpha):
    penalized = scores / ((5 + lengths.to(scores.dtype)) / 6) ** alpha
    best = penalized.argmax(dim=1)
    rows = torch.arange(scores.shape[0], device=scores.device)
    return sequences[rows, best], penalized[rows, best]
