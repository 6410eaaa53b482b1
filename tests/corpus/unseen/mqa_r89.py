import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    """All heads' queries are stacked along the positions: one bmm against the only key head."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.H, self.D = num_heads, hidden_dim // num_heads
        self.attn_in = nn.Linear(hidden_dim, hidden_dim + 2 * self.D)
        self.attn_out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        B, T, C = x.shape
        q, k, v = self.attn_in(x).split((C, self.D, self.D), dim=-1)
        q = q.reshape(B, T * self.H, self.D) * self.D ** -0.5
        logits = torch.bmm(q, k.transpose(1, 2)).view(B, T, self.H, T)
        if attention_mask is not None:
            seen = (attention_mask != 0).transpose(1, 2)
            logits = logits.masked_fill(~seen, torch.finfo(logits.dtype).min)
        probs = logits.softmax(dim=-1).view(B, T * self.H, T)
        return self.attn_out(torch.bmm(probs, v).view(B, T, C))
