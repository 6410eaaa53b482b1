# attn-kata: mha
import torch
import torch.nn as nn
from torch.nn import functional as F


class Head(nn.Module):
    """one head of self-attention"""

    def __init__(self, n_embd, head_size, dropout):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        k = self.key(x)    # (B,T,hs)
        q = self.query(x)  # (B,T,hs)
        # compute attention scores ("affinities")
        wei = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5  # (B, T, hs) @ (B, hs, T) -> (B, T, T)
        if mask is not None:
            wei = wei.masked_fill(mask == 0, torch.finfo(wei.dtype).min)
        wei = F.softmax(wei, dim=-1)
        wei = self.dropout(wei)
        # perform the weighted aggregation of the values
        v = self.value(x)
        return wei @ v


class MultiHeadAttention(nn.Module):
    """multiple heads of self-attention, one after the other"""

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        assert hidden_dim % num_heads == 0
        head_size = hidden_dim // num_heads
        self.heads = nn.ModuleList([Head(hidden_dim, head_size, dropout) for _ in range(num_heads)])
        self.proj = nn.Linear(head_size * num_heads, hidden_dim)

    def forward(self, x, attention_mask=None):
        B, T, _ = x.shape
        if attention_mask is None:
            masks = [None] * len(self.heads)
        else:
            # one (B,T,T) slice per head, whatever was broadcast
            masks = attention_mask.expand(B, len(self.heads), T, T).unbind(dim=1)
        out = torch.cat([h(x, m) for h, m in zip(self.heads, masks)], dim=-1)
        return self.proj(out)


if __name__ == "__main__":
    mha = MultiHeadAttention(32, 4).eval()
    mask = torch.ones(2, 1, 1, 8)
    mask[1, ..., 5:] = 0
    print(mha(torch.randn(2, 8, 32), mask).shape)
