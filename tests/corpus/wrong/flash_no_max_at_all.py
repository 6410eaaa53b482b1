# wrong: flash softmax-unstable line 13
import torch


def flash_attention(query, key, value, block_size, causal=False):
    q = query * query.size(-1) ** -0.5
    numerator, denominator = torch.zeros_like(q), torch.zeros_like(q[..., :1])
    where = torch.arange(q.size(-2), device=q.device)
    for begin in range(0, q.size(-2), block_size):
        tile = slice(begin, begin + block_size)
        logits = q @ key[..., tile, :].transpose(-1, -2)
        # softmax is a ratio of sums, so the tiles just add up
        e = logits.exp()
        if causal:
            e = e * (where[tile] <= where[:, None]).to(e.dtype)
        numerator = numerator + e @ value[..., tile, :]
        denominator = denominator + e.sum(-1, keepdim=True)
    return numerator / denominator
