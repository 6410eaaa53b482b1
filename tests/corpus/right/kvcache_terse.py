# right: kvcache
import torch, torch.nn as nn
class CachedSelfAttention(nn.Module):
    def __init__(s, E, H):
        super().__init__(); s.H = H; s.i = nn.Linear(E, 3 * E); s.o = nn.Linear(E, E)
    def forward(s, x, c=None):
        q, k, v = s.i(x).unflatten(-1, (3, s.H, -1)).permute(2, 0, 3, 1, 4)
        if c is not None: k, v = torch.cat([c, torch.stack([k, v])], 3)
        m = torch.ones(q.size(2), k.size(2), device=x.device).tril(k.size(2) - q.size(2))
        a = (q @ k.mT / q.size(-1) ** .5).masked_fill(m == 0, -torch.inf).softmax(-1)
        return s.o((a @ v).transpose(1, 2).flatten(2)), torch.stack([k, v])
