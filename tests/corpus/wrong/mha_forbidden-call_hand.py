# wrong: mha forbidden-call line 25
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1, use_flash=True):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.dropout = dropout
        self.use_flash = use_flash
        self.in_proj = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        B, T, C = x.shape
        q, k, v = (
            t.view(B, T, self.num_heads, self.head_dim).transpose(1, 2)
            for t in self.in_proj(x).chunk(3, dim=-1)
        )
        m = None if attention_mask is None else attention_mask != 0
        p = self.dropout if self.training else 0.0
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=m, dropout_p=p)
        return self.out_proj(y.transpose(1, 2).reshape(B, T, C))
