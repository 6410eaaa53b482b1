# wrong: flash scale-without-sqrt line 11, causal-sees-next line 13
import torch


def flash_attention(query, key, value, block_size, causal=False):
    n, d = query.shape[-2:]
    m, l, o = torch.full_like(query[..., :1], -torch.inf), torch.zeros_like(query[..., :1]), torch.zeros_like(query)
    rows = torch.arange(n, device=query.device)
    for a in range(0, n, block_size):
        b = min(a + block_size, n)
        s = query @ key[..., a:b, :].mT / d
        if causal:
            s = s.masked_fill(torch.arange(a, b, device=query.device) > rows[:, None] + 1, -torch.inf)
        new = torch.maximum(m, s.amax(-1, keepdim=True))
        p, r = torch.exp(s - new), torch.exp(m - new)
        l = l * r + p.sum(-1, keepdim=True)
        o = o * r + p @ value[..., a:b, :]
        m = new
    return o / l
