import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.heads = num_heads
        self.scale = (hidden_dim // num_heads) ** -0.5
        self.to_qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)
        self.attend = nn.Softmax(dim=-1)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        h = self.heads
        # b n (h d) -> b h n d
        q, k, v = (t.unflatten(-1, (h, -1)).movedim(2, 1) for t in self.to_qkv(x).chunk(3, dim=-1))
        dots = torch.einsum("b h i d, b h j d -> b h i j", q * self.scale, k)
        if attention_mask is not None:
            dots = torch.where(attention_mask.bool(), dots, torch.finfo(dots.dtype).min)
        attn = self.dropout(self.attend(dots))
        out = torch.einsum("b h i j, b h j d -> b i h d", attn, v)
        return self.to_out(out.flatten(2))
