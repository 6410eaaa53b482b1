import torch


class Softmax:
    """exp / sum, with what is hidden multiplied away."""

    def __init__(self, visible):
        self.visible = visible

    def __call__(self, x):
        top = x.max(dim=-1, keepdim=True).values
        e = (x - top).exp()
        if self.visible is not None:
            e = e * self.visible.to(e.dtype)
        total = e.sum(dim=-1, keepdim=True)
        return e / total


def visible_positions(n_query, n_key, mask, causal, device):
    parts = []
    if mask is not None:
        parts.append(mask.bool())
    if causal:
        q_pos = torch.arange(n_query, device=device).unsqueeze(1) + n_key - n_query
        k_pos = torch.arange(n_key, device=device).unsqueeze(0)
        parts.append(k_pos <= q_pos)
    if not parts:
        return None
    result = parts[0]
    for p in parts[1:]:
        result = result & p
    return result


def attention(query, key, value, mask=None, causal=False):
    visible = visible_positions(query.shape[-2], key.shape[-2], mask, causal, query.device)
    dtype = query.dtype
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    scores = torch.matmul(query.to(wide), key.to(wide).transpose(-1, -2))
    scores = scores / query.shape[-1] ** 0.5
    weights = Softmax(visible)(scores)
    return torch.matmul(weights, value.to(wide)).to(dtype)
