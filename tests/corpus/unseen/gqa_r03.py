# No repeat: the query heads get a group axis and the kv heads broadcast over it.
import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.G, self.R = num_kv_heads, num_heads // num_kv_heads
        self.D = hidden_dim // num_heads
        self.wqkv = nn.Linear(hidden_dim, (num_heads + 2 * num_kv_heads) * self.D, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, attention_mask=None):
        G, R, D = self.G, self.R, self.D
        q, k, v = self.wqkv(x).split([G * R * D, G * D, G * D], dim=-1)
        q = q.unflatten(-1, (G, R, D))
        k = k.unflatten(-1, (G, D))
        v = v.unflatten(-1, (G, D))
        s = torch.einsum("bigrd,bjgd->bgrij", q, k) * D ** -0.5
        if attention_mask is not None:
            m = attention_mask
            # (b, H, ...) -> (b, G, R, ...);  (b, 1, ...) -> (b, 1, 1, ...)
            m = m.unsqueeze(2) if m.size(1) == 1 else m.unflatten(1, (G, R))
            s = s.masked_fill(m == 0, float("-inf"))
        y = torch.einsum("bgrij,bjgd->bigrd", s.softmax(dim=-1), v)
        return self.wo(y.flatten(2))
