import torch
import torch.nn.functional as F


def attention(query, key, value, mask=None, causal=False):
    """Plain attention. With a KV cache query is shorter than key."""
    *_, tq, d = query.shape
    tk = key.shape[-2]

    logits = torch.einsum("...qd,...kd->...qk", query * d ** -0.5, key)

    keep = None
    if causal and tq == tk:
        # a decoding step stands at the end and sees the whole cache
        keep = torch.ones(tq, tk, dtype=torch.bool, device=query.device).tril_(tk - tq)
    if mask is not None:
        allowed = mask != 0
        keep = allowed if keep is None else keep & allowed

    if keep is not None:
        logits = torch.where(keep, logits, torch.finfo(logits.dtype).min)
    weights = F.softmax(logits, dim=-1)
    return torch.einsum("...qk,...kv->...qv", weights, value)
