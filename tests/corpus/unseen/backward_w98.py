import math
import torch
from torch import einsum

def attention_backward(query, key, value, grad_output, causal=False):
    b, h, i, d = query.shape
    j = key.shape[-2]
    scale = 1 / math.sqrt(d)

    sim = einsum('b h i d, b h j d -> b h i j', query, key) * scale
    if causal:
        causal_mask = torch.ones((i, j), dtype = torch.bool, device = query.device).triu(j - i + 1)
        sim = sim.masked_fill(causal_mask, float('-inf'))
    attn = sim.softmax(dim = -1)

    dv = einsum('b h i j, b h i e -> b h j e', attn, grad_output)
    dattn = einsum('b h i e, b h j e -> b h i j', grad_output, value)

    delta = einsum('b h i j, b h i j -> b h j', attn, dattn)
    dsim = attn * (dattn - delta[:, :, None, :]) * scale

    dq = einsum('b h i j, b h j d -> b h i d', dsim, key)
    dk = einsum('b h i j, b h i d -> b h j d', dsim, query)
    return dq, dk, dv
