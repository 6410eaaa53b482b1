import torch


def causal_visible(n_q, n_k, device):
    q = torch.arange(n_q, device=device) + (n_k - n_q)
    return torch.arange(n_k, device=device)[None, :] <= q[:, None]


def join(a, b):
    if a is None:
        return b
    if b is None:
        return a
    return a | b


def attention(query, key, value, mask=None, causal=False):
    visible = None if mask is None else mask.bool()
    if causal:
        visible = join(visible, causal_visible(query.shape[-2], key.shape[-2], query.device))
    b, h, n, d = query.shape
    att = torch.einsum("bhnd,bhmd->bhnm", query, key) / (d ** 0.5)
    if visible is not None:
        att = torch.where(visible, att, torch.tensor(float("-inf"), dtype=att.dtype, device=att.device))
    att = att.softmax(dim=3)
    return torch.einsum("bhnm,bhme->bhne", att, value)
