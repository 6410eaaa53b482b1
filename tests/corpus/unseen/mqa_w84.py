import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.heads = num_heads
        self.dim_head = hidden_dim // num_heads
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_k = nn.Linear(hidden_dim, self.dim_head, bias=False)
        self.to_v = nn.Linear(hidden_dim, self.dim_head, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim, bias=False)

    @staticmethod
    def apply_mask(scores, mask):
        if mask is None:
            return scores
        if mask.dtype.is_floating_point:
            return scores + mask
        return scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)

    def forward(self, x, attention_mask=None):
        q = self.to_q(x).unflatten(-1, (self.heads, self.dim_head))
        k, v = self.to_k(x), self.to_v(x)
        scores = torch.einsum("bihd,bjd->bhij", q, k) * self.dim_head ** -0.5
        attn = self.apply_mask(scores, attention_mask).softmax(dim=-1)
        out = torch.einsum("bhij,bjd->bihd", attn, v)
        return self.to_out(out.flatten(2))
