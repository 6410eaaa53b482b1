# right: sdpa remarks: returns-tuple
import numpy as np
import torch


def attention(query, key, value, mask=None, causal=False):
    """Returns the output and the attention map, as in the Annotated Transformer."""
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / float(np.sqrt(d_k))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9 if scores.dtype != torch.float16 else -6e4)
    if causal:
        q, k = scores.shape[-2:]
        future = torch.tril(torch.ones(q, k, device=scores.device), k - q) == 0
        scores = scores.masked_fill(future, -1e9 if scores.dtype != torch.float16 else -6e4)
    p_attn = scores.softmax(dim=-1)
    return torch.matmul(p_attn, value), p_attn
