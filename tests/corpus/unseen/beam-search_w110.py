import torch


def start_beams(logits, keys, values, beams):
    lp = torch.log_softmax(logits, -1)
    scores, tokens = lp.topk(beams, -1)
    return scores, tokens, keys.repeat_interleave(beams, 0), values.repeat_interleave(beams, 0)


def _reorder(cache, sources):
    cache = cache.clone()  # the caller keeps the old one
    for row, source in enumerate(sources.tolist()):
        if row != source:
            cache[row] = cache[source]
    return cache


def beam_step(scores, logits, keys, values, finished, eos):
    B, K = scores.shape
    V = logits.shape[1]
    lp = torch.log_softmax(logits, -1).reshape(B, K, V)
    is_eos = torch.arange(V, device=lp.device) == eos
    lp = lp.masked_fill(finished.unsqueeze(-1) & ~is_eos, float("-inf"))
    lp = lp.masked_fill(finished.unsqueeze(-1) & is_eos, 0.0)
    total = scores.unsqueeze(-1) + lp

    val, idx = total.reshape(B, K * V).sort(1, descending=True)
    val, idx = val[:, :K], idx[:, :K]
    parents, tokens = idx // V, idx % V
    finished = finished.gather(1, parents) | (tokens == eos)

    sources = (torch.arange(B, device=lp.device)[:, None] * K + parents).reshape(-1)
    return val, tokens, parents, finished, _reorder(keys, sources), _reorder(values, sources)


def trace_back(tokens, parents):
    T, B, K = tokens.shape
    out = torch.empty(B, K, T, dtype=tokens.dtype, device=tokens.device)
    for b in range(B):
        for k in range(K):
            at = k
            for t in range(T - 1, -1, -1):
                out[b, k, t] = tokens[t, b, at]
                at = int(parents[t, b, at]) if t else at
    return out


def best_sequence(sequences, scores, lengths, alpha):
    lp = ((5.0 + lengths.to(scores.dtype)) / 6.0) ** alpha
    s = scores / lp
    top, arg = s.max(-1)
    return torch.stack([seq[i] for seq, i in zip(sequences, arg.tolist())]), top
