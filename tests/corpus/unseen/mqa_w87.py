# attn-kata: mqa
import math
import torch
from torch import Tensor, nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, self.head_dim)
        self.value = nn.Linear(hidden_dim, self.head_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    @staticmethod
    def attend(q: Tensor, k: Tensor, v: Tensor, scale: float, allowed: Tensor | None) -> Tensor:
        s = torch.matmul(q, k.transpose(-2, -1)) * scale
        if allowed is not None:
            s = s.masked_fill(allowed == 0, float("-inf"))
        return torch.matmul(torch.softmax(s, dim=-1), v)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        b, t, c = x.shape
        q = self.query(x)
        k = self.key(x).unsqueeze(1)
        v = self.value(x).unsqueeze(1)
        scale = 1.0 / math.sqrt(q.size(-1))
        q = q.view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
        y = self.attend(q, k, v, scale, attention_mask)
        return self.out(y.transpose(1, 2).contiguous().view(b, t, c))
