# wrong: mha dropout-rate-wrong line 12, scale-missing line 17
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.in_lin = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.out_lin = nn.Linear(hidden_dim, hidden_dim)
        self.attn_drop = nn.Dropout()

    def forward(self, x, attention_mask=None):
        B, N, C = x.shape
        q, k, v = self.in_lin(x).reshape(B, N, 3, self.num_heads, C // self.num_heads).permute(2, 0, 3, 1, 4).unbind(0)
        attn = q @ k.transpose(-2, -1)
        if attention_mask is not None:
            attn = attn.masked_fill(attention_mask == 0, float("-inf"))
        attn = attn.softmax(dim=-1)
        attn = self.attn_drop(attn)
        x = (attn @ v).transpose(1, 2).reshape(B, N, C)
        return self.out_lin(x)
