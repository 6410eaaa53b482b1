# attn-kata: sdpa
import torch


def attention(query, key, value, mask=None, causal=False):
    """JAX-ish: build one boolean 'allowed', then where + softmax."""
    *_, n_q, d = query.shape
    n_k = key.shape[-2]
    logits = torch.einsum("...qd,...kd->...qk", query / d ** 0.5, key)

    allowed = torch.ones((n_q, n_k), dtype=torch.bool, device=query.device)
    if causal:
        # the last query stands on the last key
        allowed = allowed.tril(diagonal=n_k - n_q)
    if mask is not None:
        allowed = allowed & mask.bool()

    big_neg = torch.finfo(logits.dtype).min
    logits = torch.where(allowed, logits, torch.tensor(big_neg, dtype=logits.dtype, device=logits.device))
    probs = torch.softmax(logits, dim=-1)
    return torch.einsum("...qk,...kv->...qv", probs, value)
