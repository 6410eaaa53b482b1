import math

import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self.kv = num_kv_heads
        self.rep = num_heads // num_kv_heads
        self.d = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, num_heads * self.d, bias=False)
        self.wk = nn.Linear(hidden_dim, num_kv_heads * self.d, bias=False)
        self.wv = nn.Linear(hidden_dim, num_kv_heads * self.d, bias=False)
        self.wo = nn.Linear(num_heads * self.d, hidden_dim, bias=False)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        b, n, _ = x.shape
        g, r, d = self.kv, self.rep, self.d
        q = self.wq(x).view(b, n, g, r, d)
        k = self.wk(x).view(b, n, g, d)
        v = self.wv(x).view(b, n, g, d)
        scores = torch.einsum("bngrd,bmgd->bgrnm", q, k) / math.sqrt(d)
        if attention_mask is not None:
            shape = attention_mask.shape
            if shape[1] == 1:
                mask = attention_mask.unsqueeze(1)
            else:
                mask = attention_mask.reshape(shape[0], r, g, *shape[2:]).transpose(1, 2)
            scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
        out = torch.einsum("bgrnm,bmgd->bngrd", scores.softmax(dim=-1), v)
        return self.wo(out.reshape(b, n, g * r * d))
