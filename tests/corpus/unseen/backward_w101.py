import torch


def attention_backward(query, key, value, grad_output, causal=False):
    c = query.shape[-1] ** -0.5
    n, m = query.shape[2], key.shape[2]
    s = torch.einsum("bhnd,bhmd->bhnm", query, key) * c
    if causal:
        ahead = torch.ones(n, m, dtype=torch.bool, device=s.device).triu(m - n + 1)
        s = s.masked_fill(ahead, float("-inf"))
    p = s.softmax(-1)
    dv = torch.einsum("bhnm,bhne->bhme", p, grad_output)
    dp = torch.einsum("bhne,bhme->bhnm", grad_output, value)
    r = torch.einsum("bhnm,bhnm->bhm", p, dp)
    ds = p * (dp - r[:, :, None, :])
    dq = torch.einsum("bhnm,bhmd->bhnd", ds, key) * c
    dk = torch.einsum("bhnm,bhnd->bhmd", ds, query) * c
    return dq, dk, dv
