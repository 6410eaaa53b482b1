# wrong: mha heads-view-without-transpose line 22
import torch
import torch.nn as nn


class MHSA(nn.Module):
    """Multi-head self-attention as used in the ViT encoder block."""

    def __init__(self, embed_dim, num_heads, attn_p=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.scale = self.head_dim ** -0.5

        self.qkv = nn.Linear(embed_dim, embed_dim * 3)
        self.proj = nn.Linear(embed_dim, embed_dim)
        self.attn_drop = nn.Dropout(attn_p)

    def forward(self, x, mask=None):
        n_samples, n_tokens, dim = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q, k, v = (t.reshape(n_samples, self.num_heads, n_tokens, self.head_dim) for t in (q, k, v))

        dp = (q @ k.transpose(-2, -1)) * self.scale
        if mask is not None:
            dp = dp.masked_fill(mask == 0, float('-inf'))
        attn = self.attn_drop(dp.softmax(dim=-1))

        weighted_avg = (attn @ v).transpose(1, 2).flatten(2)
        return self.proj(weighted_avg)
