import torch
from einops import rearrange
from torch import einsum, nn


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.heads, self.scale = num_heads, (embed_dim // num_heads) ** -0.5
        self.to_q = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.to_k = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.to_v = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.to_out = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def apply_masks(self, sim, key_padding_mask, attn_mask):
        if attn_mask is not None:
            if attn_mask.ndim == 3:
                attn_mask = rearrange(attn_mask, "(h b) i j -> b h i j", h=self.heads)
            if attn_mask.dtype == torch.bool:
                sim = sim.masked_fill(attn_mask, float("-inf"))
            else:
                sim = sim + attn_mask
        if key_padding_mask is not None:
            sim = sim.masked_fill(rearrange(key_padding_mask, "b j -> b 1 1 j"), float("-inf"))
        return sim

    def forward(
        self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True
    ):
        q, k, v = self.to_q(query), self.to_k(key), self.to_v(value)
        q, k, v = (rearrange(t, "b n (h d) -> b h n d", h=self.heads) for t in (q, k, v))
        sim = einsum("b h i d, b h j d -> b h i j", q, k) * self.scale
        attn = self.apply_masks(sim, key_padding_mask, attn_mask).softmax(dim=-1)
        out = einsum("b h i j, b h j d -> b h i d", self.dropout(attn), v)
        out = self.to_out(rearrange(out, "b h n d -> b n (h d)"))
        if not need_weights:
            return out, None
        return out, attn.mean(dim=1) if average_attn_weights else attn
