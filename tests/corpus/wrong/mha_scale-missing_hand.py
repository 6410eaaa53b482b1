# wrong: mha scale-missing line 21
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=None):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        # order: q, k, v, out
        self.layers = nn.ModuleList(nn.Linear(hidden_dim, hidden_dim) for _ in range(4))

    def forward(self, x, attention_mask=None):
        lin_q, lin_k, lin_v, lin_out = self.layers
        Q, K, V = lin_q(x), lin_k(x), lin_v(x)

        heads = []
        for i in range(self.num_heads):
            sl = slice(i * self.head_dim, (i + 1) * self.head_dim)
            s = torch.bmm(Q[..., sl], K[..., sl].transpose(1, 2))
            if attention_mask is not None:
                cur = attention_mask[:, i] if attention_mask.shape[1] == self.num_heads else attention_mask[:, 0]
                s = s.masked_fill(cur == 0, float("-inf"))
            heads.append(torch.bmm(s.softmax(dim=-1), V[..., sl]))
        return lin_out(torch.cat(heads, dim=-1))
