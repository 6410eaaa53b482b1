import math
import torch
import torch.nn as nn


class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size, dropout=0.0):
        super().__init__()
        hd = hidden_dim // num_heads
        init = lambda: nn.Parameter(nn.init.xavier_normal_(torch.empty(hidden_dim, hd)))
        self.wq = nn.ParameterList(init() for _ in range(num_heads))
        self.wk = nn.ParameterList(init() for _ in range(num_heads))
        self.wv = nn.ParameterList(init() for _ in range(num_heads))
        self.proj = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)
        # float mask of 0 and -inf, added to the scores
        self.register_buffer("bias", torch.full((block_size, block_size), -math.inf).triu(1))

    def one_head(self, x, h):
        q = x.matmul(self.wq[h])
        k = x.matmul(self.wk[h])
        v = x.matmul(self.wv[h])
        T = x.size(1)
        att = torch.baddbmm(self.bias[:T, :T].to(q.dtype), q, k.mT, alpha=1.0 / math.sqrt(q.size(2)))
        att = att - att.max(dim=2, keepdim=True)[0]
        att = att.exp()
        att = att / att.sum(dim=2, keepdim=True)
        return self.drop(att).bmm(v)

    def forward(self, x):
        return self.proj(torch.cat([self.one_head(x, h) for h in range(len(self.wq))], dim=2))
