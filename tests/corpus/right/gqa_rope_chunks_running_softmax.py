# right: gqa-rope
import torch
from torch import nn


class Node:
    """One chunk of keys and values, and the node before it."""

    def __init__(self, prev, k, v):
        self.prev = prev
        self.k = k
        self.v = v
        self.start = 0 if prev is None else prev.end
        self.end = self.start + k.shape[2]


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.nq, self.nk, self.hd, self.base = num_heads, num_kv_heads, hidden_dim // num_heads, base
        self.proj_q = nn.Linear(hidden_dim, self.nq * self.hd, bias=False)
        self.proj_kv = nn.Linear(hidden_dim, 2 * self.nk * self.hd, bias=False)
        self.proj_o = nn.Linear(self.nq * self.hd, hidden_dim, bias=False)

    def _cos_sin(self, start, n, device):
        idx = torch.arange(0, self.hd, 2, device=device).to(torch.float32)
        inv = torch.reciprocal(torch.pow(float(self.base), idx / self.hd))
        ang = torch.arange(start, start + n, device=device).to(torch.float32).unsqueeze(-1) * inv
        return torch.cos(ang), torch.sin(ang)

    @staticmethod
    def _turn(t, cos, sin):
        a, b = torch.tensor_split(t, 2, dim=-1)
        return torch.cat((a * cos - b * sin, a * sin + b * cos), dim=-1).to(t.dtype)

    def forward(self, x, cache=None):
        B, n, _ = x.shape
        q = self.proj_q(x).view(B, n, self.nk, self.nq // self.nk, self.hd).permute(0, 2, 3, 1, 4)
        # kv head by kv head: key, then value
        k, v = self.proj_kv(x).view(B, n, self.nk, 2, self.hd).permute(3, 0, 2, 1, 4).unbind(0)
        start = 0 if cache is None else cache.end
        cos, sin = self._cos_sin(start, n, x.device)
        q = self._turn(q, cos, sin)
        k = self._turn(k, cos, sin)
        tip = Node(cache, k, v)

        acc_type = torch.promote_types(x.dtype, torch.float32)
        q = q.to(acc_type) * self.hd**-0.5
        top = den = num = None
        node = tip
        while node is not None:
            # the tip holds the own positions, so the maximum is finite from the first round on
            s = q @ node.k.to(acc_type).transpose(-1, -2).unsqueeze(2)
            if node is tip:
                future = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
                s = s.masked_fill(future, float("-inf"))
            m = s.max(dim=-1, keepdim=True).values
            if top is None:
                new_top, num, den = m, 0.0, 0.0
            else:
                new_top = torch.maximum(top, m)
                shrink = (top - new_top).exp()
                num, den = num * shrink, den * shrink
            e = (s - new_top).exp()
            num = num + e @ node.v.to(acc_type).unsqueeze(2)
            den = den + e.sum(-1, keepdim=True)
            top = new_top
            node = node.prev
        y = (num / den).to(x.dtype)
        return self.proj_o(y.permute(0, 3, 1, 2, 4).reshape(B, n, self.nq * self.hd)), tip
