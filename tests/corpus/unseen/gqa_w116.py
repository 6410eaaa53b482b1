import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    # h: query heads, n: kv heads, g: query heads per kv head, i/j: positions, e: head features
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        assert hidden_dim % num_heads == 0 and num_heads % num_kv_heads == 0
        self.n, self.g, self.e = num_kv_heads, num_heads // num_kv_heads, hidden_dim // num_heads
        self.Wq = nn.Parameter(torch.randn(hidden_dim, num_heads * self.e) * hidden_dim**-0.5)
        self.Wkv = nn.Parameter(torch.randn(2, hidden_dim, num_kv_heads * self.e) * hidden_dim**-0.5)
        self.Wo = nn.Parameter(torch.randn(num_heads * self.e, hidden_dim) * hidden_dim**-0.5)

    def forward(self, x, attention_mask=None):
        q = (x @ self.Wq).unflatten(-1, (self.g, self.n, self.e))
        k, v = ((x @ w).unflatten(-1, (self.n, self.e)) for w in self.Wkv)
        scores = torch.einsum("bigne,bjne->bgnij", q, k) * self.e**-0.5
        if attention_mask is not None:
            hidden = attention_mask == 0
            scores = scores.flatten(1, 2).masked_fill(hidden, float("-inf")).view_as(scores)
        p = scores.softmax(dim=-1)
        out = torch.einsum("bgnij,bjne->bigne", p, v)
        return out.flatten(2) @ self.Wo
