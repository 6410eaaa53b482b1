import torch
from torch import nn


class Link:
    """One call's keys and values, and what came before. Never written to after it is made."""

    __slots__ = ("previous", "key", "value", "length")

    def __init__(self, previous, key, value):
        self.previous, self.key, self.value = previous, key, value
        self.length = key.size(2) + (previous.length if previous is not None else 0)

    def __iter__(self):
        if self.previous is not None:
            yield from self.previous
        yield self.key, self.value


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.shape = (num_heads, hidden_dim // num_heads)
        self.w_q, self.w_k, self.w_v, self.w_o = (
            nn.Linear(hidden_dim, hidden_dim, bias=False) for _ in range(4)
        )

    def heads(self, t):
        return t.view(*t.shape[:2], *self.shape).permute(0, 2, 1, 3)

    def forward(self, x, cache=None):
        query = self.heads(self.w_q(x))
        cache = Link(cache, self.heads(self.w_k(x)), self.heads(self.w_v(x)))
        chunks = list(cache)  # oldest first

        scores = torch.cat([query @ k.mT for k, _ in chunks], dim=-1) * self.shape[1] ** -0.5
        new = x.size(1)
        stand = torch.arange(cache.length - new, cache.length, device=x.device)
        seen = torch.arange(cache.length, device=x.device) <= stand[:, None]
        weights = torch.where(seen, scores, float("-inf")).softmax(dim=-1)

        sizes = [k.size(2) for k, _ in chunks]
        context = sum(w @ v for w, (_, v) in zip(weights.split(sizes, dim=-1), chunks))
        return self.w_o(context.transpose(1, 2).flatten(start_dim=2)), cache
