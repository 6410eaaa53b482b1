# right: causal
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    """no buffer at all: compare positions"""

    def __init__(self, d_model: int, num_heads: int, max_len: int = 1024):
        super().__init__()
        self.num_heads, self.max_len = num_heads, max_len
        self.Wqkv = nn.Linear(d_model, 3 * d_model, bias=False)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.Wqkv(x).view(b, n, 3, self.num_heads, d // self.num_heads).movedim(2, 0)
        pos = torch.arange(n, device=x.device)
        future = pos[None, :] > pos[:, None]
        s = torch.einsum("bihd,bjhd->bhij", q, k) * (d // self.num_heads) ** -0.5
        s = s.masked_fill(future, torch.finfo(s.dtype).min)
        return torch.einsum("bhij,bjhd->bihd", s.softmax(-1), v).flatten(-2)
