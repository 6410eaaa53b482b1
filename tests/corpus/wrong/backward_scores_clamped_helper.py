# wrong: backward scores-clamped line 6
import torch


def weights_of(s, hidden):
    s = torch.clamp(s, min=-60.0, max=60.0)
    if hidden is not None:
        s = s.masked_fill(hidden, float("-inf"))
    e = torch.exp(s)
    return e / e.sum(dim=-1, keepdim=True)


def attention_backward(query, key, value, grad_output, causal=False):
    n_q, n_k = query.size(-2), key.size(-2)
    big = torch.promote_types(query.dtype, torch.float32)
    q, k, v, d_out = query.to(big), key.to(big), value.to(big), grad_output.to(big)
    rsqrt_d = q.size(-1) ** -0.5

    hidden = None
    if causal:
        hidden = torch.triu(torch.ones(n_q, n_k, device=q.device), diagonal=n_k - n_q + 1).bool()
    p = weights_of((q @ k.transpose(-2, -1)) * rsqrt_d, hidden)

    d_v = p.transpose(-2, -1) @ d_out
    d_p = d_out @ v.transpose(-2, -1)
    d_s = p * (d_p - (p * d_p).sum(dim=-1, keepdim=True))
    d_q = (d_s @ k) * rsqrt_d
    d_k = (d_s.transpose(-2, -1) @ q) * rsqrt_d
    return d_q.to(query.dtype), d_k.to(key.dtype), d_v.to(value.dtype)
