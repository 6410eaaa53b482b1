import torch


def tree_mask(back):
    n = back.numel()
    i = torch.arange(n, device=back.device)
    parent = i - back
    step = (parent[:, None] == i[None, :]).to(torch.float32)       # adjacency: i -> parent
    reach = torch.eye(n, device=back.device)
    # (I + A)^(2^k): ancestors at every depth by squaring
    walk = reach + step
    hops = 1
    while hops < n:
        walk = (walk @ walk).clamp(max=1)
        hops *= 2
    return (walk if n else reach) > 0.5


def tree_attention(query, key, value, back):
    n = query.shape[-2]
    p = key.shape[-2] - n
    see = tree_mask(back)
    c = query.shape[-1] ** -0.5
    outs = []
    for t in range(n):
        cols = torch.cat([torch.arange(p, device=key.device), p + see[t].nonzero().flatten()])
        k, v = key.index_select(2, cols), value.index_select(2, cols)
        w = torch.softmax((k * query[:, :, t:t + 1]).sum(-1) * c, dim=-1)
        outs.append(torch.einsum("bhk,bhkd->bhd", w, v))
    return torch.stack(outs, dim=2)
