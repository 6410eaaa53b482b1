import torch
from torch import nn


class Block:
    """One call's keys and values, and a pointer to the block before: a persistent list.
    Nothing is ever copied or changed, so two continuations can share a past."""

    __slots__ = ("k", "v", "before")

    def __init__(self, k, v, before=None):
        self.k, self.v, self.before = k, v, before

    def walk(self):
        node = self
        while node is not None:
            yield node
            node = node.before


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.nh = num_heads
        self.hs = hidden_dim // num_heads
        self.kv = nn.Linear(hidden_dim, 2 * hidden_dim, bias=False)
        self.q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.o = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def by_head(self, t):
        b, n, _ = t.shape
        return t.view(b, n, self.nh, self.hs).permute(0, 2, 1, 3)

    def forward(self, x, past=None):
        b, n, c = x.shape
        k, v = (self.by_head(t) for t in self.kv(x).tensor_split((c,), dim=-1))
        q = self.by_head(self.q(x)) * self.hs**-0.5
        wide = torch.promote_types(x.dtype, torch.float32)    # many blocks are added up
        newest = Block(k, v, before=past)

        # the newest block comes first and always shows a query itself, so top is finite
        top = total = acc = None
        for block in newest.walk():
            s = (q @ block.k.transpose(-1, -2)).to(wide)
            bv = block.v.to(wide)
            if block is newest:
                later = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(diagonal=1)
                s = s.masked_fill(later, float("-inf"))
            peak = s.amax(-1, keepdim=True)
            if top is None:
                top = peak
                e = torch.exp(s - top)
                total, acc = e.sum(-1, keepdim=True), e @ bv
                continue
            new_top = torch.maximum(top, peak)
            shrink, e = torch.exp(top - new_top), torch.exp(s - new_top)
            total = total * shrink + e.sum(-1, keepdim=True)
            acc = acc * shrink + e @ bv
            top = new_top
        y = (acc / total).to(x.dtype).permute(0, 2, 1, 3).reshape(b, n, c)
        return self.o(y), newest
