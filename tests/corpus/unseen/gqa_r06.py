# attn-kata: gqa
import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        self.n_q, self.n_kv, self.hd = num_heads, num_kv_heads, hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, (num_heads + 2 * num_kv_heads) * self.hd)
        self.proj = nn.Linear(hidden_dim, hidden_dim)
        owner = torch.arange(num_heads) // (num_heads // num_kv_heads)
        self.register_buffer("owner", owner, persistent=False)

    def forward(self, x, attention_mask=None):
        heads = self.qkv(x).unflatten(-1, (-1, self.hd)).movedim(-2, 1)
        q, k, v = heads.tensor_split((self.n_q, self.n_q + self.n_kv), dim=1)
        k, v = k.index_select(1, self.owner), v.index_select(1, self.owner)
        s = torch.einsum("bhid,bhjd->bhij", q, k).mul(self.hd ** -0.5)
        if attention_mask is not None:
            s = s.masked_fill(attention_mask.logical_not(), -torch.inf)
        y = torch.einsum("bhij,bhjd->bihd", s.softmax(-1), v)
        return self.proj(y.flatten(2))
