import torch
from torch import nn


class _Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)

    def forward(self, h):
        b, t, c = h.shape
        q, k, v = self.qkv(h).view(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        s = q @ k.transpose(-2, -1) / (c // self.heads) ** 0.5
        later = torch.triu(torch.ones(t, t, device=h.device, dtype=torch.bool), diagonal=1)
        s = s.masked_fill(later, float("-inf"))
        return self.proj((s.softmax(-1) @ v).transpose(1, 2).reshape(b, t, c))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.sublayers = nn.ModuleDict(dict(
            ln_1=nn.LayerNorm(hidden_dim),
            attn=_Attention(hidden_dim, num_heads),
            ln_2=nn.LayerNorm(hidden_dim),
            mlp=nn.Sequential(
                nn.Linear(hidden_dim, 4 * hidden_dim),
                nn.GELU(),
                nn.Linear(4 * hidden_dim, hidden_dim),
            ),
        ))

    def forward(self, x):
        m = self.sublayers
        x = x + m["attn"](m["ln_1"](x))
        return x + m["mlp"](m["ln_2"](x))
