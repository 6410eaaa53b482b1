# wrong: mha forbidden-call line 26
# fair: forbidden-call 24 26
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, dim: int, num_heads: int = 8, dropout: float = 0.1) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = dim // num_heads
        self.scale = self.head_dim ** -0.5
        self.qkv = nn.Linear(dim, dim * 3, bias=True)
        self.attn_drop = nn.Dropout(dropout)
        self.proj = nn.Linear(dim, dim)
        self.fused_attn = hasattr(F, "scaled_dot_product_attention")

    def forward(self, x, attention_mask=None):
        B, N, C = x.shape
        qkv = self.qkv(x).reshape(B, N, 3, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        keep = None if attention_mask is None else attention_mask != 0
        if self.fused_attn:
            p = self.attn_drop.p if self.training else 0.0
            x = F.scaled_dot_product_attention(q, k, v, attn_mask=keep, dropout_p=p)
        else:
            attn = (q * self.scale) @ k.transpose(-2, -1)
            if keep is not None:
                attn = attn.masked_fill(~keep, float("-inf"))
            x = self.attn_drop(attn.softmax(dim=-1)) @ v
        x = x.transpose(1, 2).reshape(B, N, C)
        return self.proj(x)
