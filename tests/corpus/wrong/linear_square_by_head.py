# wrong: linear tensor-too-large line 8
import torch
def f(x): return torch.nn.functional.elu(x) + 1
def linear_attention(query, key, value):
    out = torch.empty(*query.shape[:3], value.shape[-1], dtype=query.dtype, device=query.device)
    for b in range(query.shape[0]):
        for h in range(query.shape[1]):
            w = f(query[b, h]) @ f(key[b, h]).T
            out[b, h] = w / w.sum(-1, keepdim=True) @ value[b, h]
    return out
def causal_linear_attention(query, key, value):
    q, k = f(query), f(key)
    s = (k[..., None] * value[..., None, :]).cumsum(2)
    return (q[..., None] * s).sum(-2) / (q * k.cumsum(2)).sum(-1, keepdim=True)
