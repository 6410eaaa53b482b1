import torch
from torch import nn, einsum


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        dim_head = hidden_dim // num_heads
        inner_dim = dim_head * num_heads
        project_out = not (num_heads == 1 and dim_head == hidden_dim)

        self.heads = num_heads
        self.scale = dim_head ** -0.5
        self.to_qkv = nn.Linear(hidden_dim, inner_dim * 3, bias=False)
        self.attend = nn.Softmax(dim=-1)
        self.drop = nn.Dropout(dropout)
        self.to_out = nn.Linear(inner_dim, hidden_dim) if project_out else nn.Identity()

    def forward(self, x, attention_mask=None):
        b, n, _, h = *x.shape, self.heads
        qkv = self.to_qkv(x).chunk(3, dim=-1)
        q, k, v = (t.reshape(b, n, h, -1).permute(0, 2, 1, 3) for t in qkv)

        dots = einsum("b h i d, b h j d -> b h i j", q, k) * self.scale
        if attention_mask is not None:
            dots = dots.masked_fill(attention_mask == 0, -torch.finfo(dots.dtype).max)
        attn = self.drop(self.attend(dots))

        out = einsum("b h i j, b h j d -> b h i d", attn, v)
        return self.to_out(out.permute(0, 2, 1, 3).reshape(b, n, -1))
