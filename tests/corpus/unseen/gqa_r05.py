"""GQA, one loop over the groups, nothing repeated or expanded: each group folds its query heads into length."""
import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        assert hidden_dim % num_heads == 0 and num_heads % num_kv_heads == 0
        self.n_groups = num_kv_heads
        self.per_group = num_heads // num_kv_heads
        self.d = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.d, bias=True)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.d, bias=True)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.d, bias=True)
        self.o_proj = nn.Linear(num_heads * self.d, hidden_dim, bias=False)

    def forward(self, x, attention_mask=None):
        n, t, _ = x.shape
        heads = self.n_groups * self.per_group
        qs = self.q_proj(x).tensor_split(self.n_groups, dim=-1)
        ks = self.k_proj(x).tensor_split(self.n_groups, dim=-1)
        vs = self.v_proj(x).tensor_split(self.n_groups, dim=-1)
        hidden = None
        if attention_mask is not None:
            hidden = (attention_mask == 0).expand(n, heads, t, t)
        merged = []
        for g, (q, k, v) in enumerate(zip(qs, ks, vs)):
            # (n, t, per_group * d) -> (n, per_group, t, d)
            q = q.reshape(n, t, self.per_group, self.d).transpose(1, 2)
            s = torch.matmul(q, k[:, None].transpose(-1, -2)) / self.d**0.5
            if hidden is not None:
                mine = hidden[:, g * self.per_group : (g + 1) * self.per_group]
                s = s.masked_fill(mine, float("-inf"))
            o = torch.matmul(s.softmax(-1), v[:, None])
            merged.append(o.transpose(1, 2).reshape(n, t, self.per_group * self.d))
        return self.o_proj(torch.cat(merged, dim=-1))
