import torch, math
from torch import nn

class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        B, T, C = x.shape
        f = lambda y: y.view(B, T, self.h, C // self.h).transpose(1, 2)
        q, k, v = f(self.wq(x)), f(self.wk(x)), f(self.wv(x))
        # chunks are kept in lists, joined when read
        c = dict(cache) if cache else {"k": [], "v": []}
        c["k"].append(k)
        c["v"].append(v)
        K, V = torch.cat(c["k"], 2), torch.cat(c["v"], 2)
        S = K.size(2)
        m = torch.ones(T, S, device=x.device).triu(S - T + 1).bool()
        a = q @ K.mT / math.sqrt(C // self.h)
        p = a.masked_fill(m, -math.inf).softmax(-1)
        return self.wo((p @ V).transpose(1, 2).reshape(B, T, C)), c
