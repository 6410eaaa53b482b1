# wrong: sdpa mask-fill-small line 10
import torch

NEG = -1e-9


def attention(query, key, value, mask=None, causal=False):
    s = torch.matmul(query, key.transpose(2, 3)) / query.shape[3] ** 0.5
    if mask is not None:
        s = s.masked_fill(mask == 0, -10.0)
    if causal:
        n, m = s.shape[2:]
        s = s.masked_fill(torch.ones(n, m, device=s.device).tril(m - n) == 0, float("-inf"))
    p = torch.softmax(s, dim=3)
    return torch.matmul(p, value)
