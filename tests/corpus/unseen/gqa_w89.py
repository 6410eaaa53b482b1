# attn-kata: gqa
import math
import torch
from torch import nn, Tensor


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self.n_q, self.n_kv = num_heads, num_kv_heads
        self.d = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.d, bias=False)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.d, bias=False)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.d, bias=False)
        self.o_proj = nn.Linear(num_heads * self.d, hidden_dim, bias=False)
        # which kv head each query head reads
        self.register_buffer("kv_of", torch.arange(num_heads) % num_kv_heads, persistent=False)

    def cut(self, t: Tensor, n: int) -> Tensor:
        return t.view(t.size(0), t.size(1), n, self.d).transpose(1, 2)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q = self.cut(self.q_proj(x), self.n_q)
        k = self.cut(self.k_proj(x), self.n_kv)[:, self.kv_of]
        v = self.cut(self.v_proj(x), self.n_kv)[:, self.kv_of]
        scores = q @ k.mT / math.sqrt(self.d)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, float("-inf"))
        out = scores.softmax(-1) @ v
        return self.o_proj(out.transpose(1, 2).flatten(-2))
