# wrong: causal causal-excludes-self line 19
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.h = num_heads
        self.Wqkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)
        self.Wout = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x):
        B, T, C = x.shape
        qkv = self.Wqkv(x).reshape(B, T, 3, self.h, C // self.h)
        q, k, v = qkv.unbind(2)
        logits = torch.einsum('bthc,bshc->bhts', q, k) / (C // self.h) ** 0.5
        pos = torch.arange(T, device=x.device)
        visible = pos[None, :] < pos[:, None]
        logits = logits.masked_fill(~visible, -1e9)
        out = torch.einsum('bhts,bshc->bthc', logits.softmax(-1), v)
        return self.Wout(out.reshape(B, T, C))
