# wrong: sdpa scale-missing line 12
# fair: scale-missing 7, 9, 12
import torch


def attention(query, key, value, mask=None, causal=False):
    products = torch.einsum("bhqd,bhkd->bhqk", query, key)
    rows, columns = products.shape[-2:]
    if causal:
        places = torch.arange(rows, device=query.device)[:, None] + columns - rows
        ahead = torch.arange(columns, device=query.device) > places
        products = products.masked_fill(ahead, -torch.inf)
    else:
        products = products * query.shape[-1] ** -0.5
    if mask is not None:
        products = products.masked_fill(mask == 0, -torch.inf)
    return products.softmax(-1) @ value
