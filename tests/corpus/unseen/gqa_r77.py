import torch
from torch import nn


class KVGroup(nn.Module):
    """one key/value head with the query heads that read it"""

    def __init__(self, dim, dh, rep):
        super().__init__()
        self.dh, self.rep = dh, rep
        self.q = nn.Linear(dim, rep * dh)
        self.k = nn.Linear(dim, dh)
        self.v = nn.Linear(dim, dh)

    def forward(self, x, blocked):
        B, T, _ = x.shape
        q = self.q(x).view(B, T, self.rep, self.dh).transpose(1, 2).flatten(1, 2)   # B, rep*T, dh
        s = torch.baddbmm(x.new_zeros(1, 1, 1), q, self.k(x).mT, beta=0, alpha=self.dh ** -0.5)
        s = s.view(B, self.rep, T, T)
        if blocked is not None:
            s = s.masked_fill(blocked, -torch.inf)
        y = torch.bmm(s.softmax(-1).flatten(1, 2), self.v(x))
        return y.view(B, self.rep, T, self.dh)


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads):
        super().__init__()
        assert num_heads % num_kv_heads == 0 and hidden_dim % num_heads == 0
        self.rep = num_heads // num_kv_heads
        self.groups = nn.ModuleList([KVGroup(hidden_dim, hidden_dim // num_heads, self.rep) for _ in range(num_kv_heads)])
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, attention_mask=None):
        parts = []
        for g, mod in enumerate(self.groups):
            m = attention_mask
            if m is not None:
                if m.shape[1] > 1:
                    m = m[:, g * self.rep:(g + 1) * self.rep]
                m = m == 0
            parts.append(mod(x, m))
        return self.wo(torch.cat(parts, 1).transpose(1, 2).flatten(2))
