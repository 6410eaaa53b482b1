"""One write head. Speech style: project time-major, fold (time, head) into rows for one bmm."""
import torch
import torch.nn as nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n_head = num_heads
        self.d_k = hidden_dim // num_heads
        self.linear_q = nn.Linear(hidden_dim, hidden_dim)
        self.linear_kv = nn.Linear(hidden_dim, 2 * self.d_k)
        self.linear_out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        bs, time, feat = x.shape
        tbc = x.transpose(0, 1)                                   # (T, B, C)
        q = self.linear_q(tbc).transpose(0, 1)                    # (B, T, C)
        k, v = self.linear_kv(tbc).transpose(0, 1).chunk(2, -1)   # (B, T, d_k) each

        q = q.reshape(bs, time * self.n_head, self.d_k) / self.d_k ** 0.5
        score = torch.bmm(q, k.transpose(1, 2))                   # (B, T*H, T)

        if attention_mask is not None:
            m = attention_mask.expand(bs, self.n_head, time, time)
            m = m.reshape(bs, time * self.n_head, time)
            score = score.masked_fill(m == 0, torch.finfo(score.dtype).min)

        attn = torch.softmax(score, dim=-1)
        ctx = torch.bmm(attn, v).reshape(bs, time, feat)
        return self.linear_out(ctx)
