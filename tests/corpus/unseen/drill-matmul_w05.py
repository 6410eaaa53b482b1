import torch


def by_operator(weights, values):
    out = weights @ values
    return out


def by_matmul(weights, values):
    return torch.matmul(weights, values)


def by_einsum(weights, values):
    return torch.einsum("bhij,bhjd->bhid", weights, values)


def by_bmm(weights, values):
    bsz, n_heads, q_len, k_len = weights.size()
    w = weights.contiguous().view(bsz * n_heads, q_len, k_len)
    v = values.contiguous().view(bsz * n_heads, k_len, values.size(-1))
    ctx = torch.bmm(w, v)
    return ctx.view(n_heads, bsz, q_len, -1).transpose(0, 1)


def by_broadcast(weights, values):
    return torch.sum(weights.unsqueeze(4) * values.unsqueeze(2), dim=-2)
