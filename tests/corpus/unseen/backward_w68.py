import torch
from torch import einsum


def exists(val):
    return val is not None


def causal_mask(i, j, device):
    return torch.ones((i, j), device=device, dtype=torch.bool).triu(j - i + 1)


@torch.no_grad()
def attention_backward(query, key, value, grad_output, causal=False):
    scale = query.shape[-1] ** -0.5
    q, k, v, do = query * scale, key, value, grad_output

    sim = einsum('b h i d, b h j d -> b h i j', q, k)

    mask = causal_mask(*sim.shape[-2:], sim.device) if causal else None
    if exists(mask):
        sim = sim.masked_fill(mask, -torch.finfo(sim.dtype).max)

    attn = sim.softmax(dim=-1)
    o = einsum('b h i j, b h j d -> b h i d', attn, v)

    dv = einsum('b h i j, b h i d -> b h j d', attn, do)
    dp = einsum('b h i d, b h j d -> b h i j', do, v)

    D = (do * o).sum(dim=-1, keepdims=True)
    ds = attn * (dp - D)

    dq = einsum('b h i j, b h j d -> b h i d', ds, k)
    dk = einsum('b h i j, b h i d -> b h j d', ds, q)
    return dq, dk, dv
