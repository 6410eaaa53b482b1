# attn-kata: mqa
import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    """Falcon / StarCoder layout: one fused matrix [q heads | k | v]"""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.H = num_heads
        self.D = hidden_dim // num_heads
        self.query_key_value = nn.Linear(hidden_dim, hidden_dim + 2 * self.D)
        self.dense = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        B, T, C = x.shape
        fused = self.query_key_value(x).view(B, T, self.H + 2, self.D)
        q, k, v = fused[:, :, :-2], fused[:, :, -2], fused[:, :, -1]
        # every (t, h) is just a query against the T shared keys
        s = torch.bmm(q.reshape(B, T * self.H, self.D), k.transpose(1, 2))
        s = s.view(B, T, self.H, T).transpose(1, 2) * self.D ** -0.5
        if attention_mask is not None:
            s = s.masked_fill(attention_mask == 0, torch.finfo(s.dtype).min)
        p = s.softmax(-1).transpose(1, 2).reshape(B, T * self.H, T)
        return self.dense(torch.bmm(p, v).view(B, T, C))
