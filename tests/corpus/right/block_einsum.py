# right: block
import math

import torch
from torch import einsum, nn


class TransformerBlock(nn.Module):
    """One einsum a line; heads are an axis of the weights."""

    def __init__(self, model_dim: int, n_heads: int):
        super().__init__()
        d = model_dim // n_heads
        self.norm_attn = nn.LayerNorm(model_dim)
        self.norm_ffn = nn.LayerNorm(model_dim)
        self.query = nn.Parameter(torch.randn(n_heads, model_dim, d) / math.sqrt(model_dim))
        self.key = nn.Parameter(torch.randn(n_heads, model_dim, d) / math.sqrt(model_dim))
        self.value = nn.Parameter(torch.randn(n_heads, model_dim, d) / math.sqrt(model_dim))
        self.out = nn.Parameter(torch.randn(n_heads, d, model_dim) / math.sqrt(model_dim))
        self.up = nn.Parameter(torch.randn(model_dim, 4 * model_dim) / math.sqrt(model_dim))
        self.down = nn.Parameter(torch.randn(4 * model_dim, model_dim) / math.sqrt(4 * model_dim))
        self.scale = 1 / math.sqrt(d)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n = self.norm_attn(x)
        q = einsum("bte,hed->bhtd", n, self.query)
        k = einsum("bse,hed->bhsd", n, self.key)
        v = einsum("bse,hed->bhsd", n, self.value)
        s = einsum("bhtd,bhsd->bhts", q, k) * self.scale
        ahead = torch.ones(s.shape[-2:], dtype=torch.bool, device=s.device).triu(1)
        p = s.masked_fill(ahead, -1e9 if s.dtype != torch.float16 else -6e4).softmax(-1)
        x = x + einsum("bhts,bhsd,hde->bte", p, v, self.out)
        hidden = nn.functional.gelu(einsum("bte,ef->btf", self.norm_ffn(x), self.up))
        return x + einsum("btf,fe->bte", hidden, self.down)
