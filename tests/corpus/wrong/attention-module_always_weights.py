# wrong: attention-module returned-unasked line 42
import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """Time first inside, as fairseq has it."""

    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True):
        super().__init__()
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.k_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.v_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.q_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)

    def fold(self, x: Tensor) -> Tensor:
        b, n, _ = x.shape
        return x.view(b, n, self.num_heads, self.head_dim).transpose(1, 2).flatten(0, 1)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True,
                attn_mask=None, average_attn_weights=True):
        b, t, e = query.shape
        s = key.size(1)
        q = self.fold(self.q_proj(query)) * self.head_dim**-0.5
        k, v = self.fold(self.k_proj(key)), self.fold(self.v_proj(value))
        scores = torch.bmm(q, k.transpose(1, 2))
        if attn_mask is not None and attn_mask.dtype == torch.bool:
            scores = scores.masked_fill(attn_mask, float("-inf"))
        elif attn_mask is not None:
            scores = scores + attn_mask
        if key_padding_mask is not None:
            scores = scores.view(b, self.num_heads, t, s)
            scores = scores.masked_fill(key_padding_mask[:, None, None], float("-inf"))
            scores = scores.view(b * self.num_heads, t, s)
        probs = torch.softmax(scores, dim=-1)
        ctx = torch.bmm(probs, v).view(b, self.num_heads, t, -1).transpose(1, 2)
        output = self.out_proj(ctx.reshape(b, t, e))
        probs = probs.view(b, self.num_heads, t, s)
        return output, probs.mean(dim=1) if average_attn_weights else probs
