# right: causal
import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    def __init__(self, width: int, heads: int, n_ctx: int):
        super().__init__()
        self.heads = heads
        self.in_proj = nn.Linear(width, width * 3)
        self.out_proj = nn.Linear(width, width)
        self.register_buffer("attn_mask", torch.full((n_ctx, n_ctx), float("-inf")).triu_(1))

    def forward(self, x: torch.Tensor):
        n_batch, n_tokens, width = x.shape
        q, k, v = self.in_proj(x).chunk(3, dim=-1)
        # scale both by the fourth root: the product is the same and it is kinder to half precision
        scale = (width // self.heads) ** -0.25
        q = (q * scale).view(n_batch, n_tokens, self.heads, -1).permute(0, 2, 1, 3)
        k = (k * scale).view(n_batch, n_tokens, self.heads, -1).permute(0, 2, 3, 1)
        v = v.view(n_batch, n_tokens, self.heads, -1).permute(0, 2, 1, 3)
        qk = q @ k + self.attn_mask[:n_tokens, :n_tokens]
        w = qk.softmax(dim=-1)
        return self.out_proj((w @ v).permute(0, 2, 1, 3).flatten(start_dim=2))
