# right: flash
import torch


def _scores(q, k, lo, hi, causal):
    s = (q @ k[:, :, lo:hi].mT) / (q.shape[3] ** 0.5)
    if causal:
        t = torch.arange(q.shape[2], device=q.device)
        s = s.masked_fill(t[None, lo:hi] > t[:, None], float("-inf"))
    return s


def flash_attention(query, key, value, block_size, causal=False):
    """Two passes over the tiles: first the maximum and the sum, then the output."""
    n = key.shape[2]
    spans = [(a, min(n, a + block_size)) for a in range(0, n, block_size)]
    peak = None
    for a, b in spans:
        here = _scores(query, key, a, b, causal).amax(-1, keepdim=True)
        peak = here if peak is None else torch.maximum(peak, here)
    norm = sum((_scores(query, key, a, b, causal) - peak).exp().sum(-1, keepdim=True) for a, b in spans)
    out = torch.zeros_like(query)
    for a, b in spans:
        weights = (_scores(query, key, a, b, causal) - peak).exp() / norm
        out += weights @ value[:, :, a:b]
    return out
