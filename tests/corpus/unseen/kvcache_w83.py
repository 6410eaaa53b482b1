import torch
from torch import nn


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.w = nn.Parameter(torch.empty(4, hidden_dim, hidden_dim))
        for w in self.w.unbind():
            nn.init.xavier_uniform_(w.detach())

    def _keep(self, start, n, total, device):
        """Row r is the query at position start + r."""
        q = start + torch.arange(n, device=device)
        k = torch.arange(total, device=device)
        return q.view(-1, 1).ge(k)

    def forward(self, x, cache=None):
        b, n, c = x.shape
        q, k, v = (torch.matmul(x, w).view(b, n, self.h, c // self.h).transpose(1, 2) for w in self.w[:3])
        start = 0
        if cache is not None:
            start = cache["steps"]
            k = torch.cat((cache["k"], k), dim=2)
            v = torch.cat((cache["v"], v), dim=2)
        s = torch.matmul(q, k.transpose(2, 3)) / (c // self.h) ** 0.5
        s = s.masked_fill(~self._keep(start, n, k.shape[2], x.device), torch.finfo(s.dtype).min)
        y = torch.matmul(torch.softmax(s, 3), v).transpose(1, 2).reshape(b, n, c)
        steps = n if cache is None else cache["steps"] + 1
        return torch.matmul(y, self.w[3]), {"k": k, "v": v, "steps": steps}
