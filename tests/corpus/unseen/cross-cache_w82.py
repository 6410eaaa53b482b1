import torch
import torch.nn.functional as F
from torch import nn


def real_positions(lengths, width):
    """(batch, width): True at the first lengths[b] places."""
    places = torch.arange(width, device=lengths.device).to(lengths.dtype)
    return places[None, :] < lengths[:, None]


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.scale = (hidden_dim // num_heads) ** -0.5
        self.to_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.to_kv = nn.Linear(hidden_dim, 2 * hidden_dim, bias=False)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)

    def _heads(self, t):
        b, n, c = t.shape
        return t.reshape(b, n, self.h, c // self.h).permute(0, 2, 1, 3)

    def forward(self, x, memory, memory_lengths, cache=None):
        if cache is None:
            k, v = map(self._heads, self.to_kv(memory).chunk(2, dim=-1))
            cache = (k, v, real_positions(memory_lengths, memory.shape[1])[:, None, None, :])
        k, v, real = cache
        logits = torch.einsum("bhid,bhjd->bhij", self._heads(self.to_q(x)) * self.scale, k)
        logits = torch.where(real, logits, torch.finfo(logits.dtype).min)
        out = torch.einsum("bhij,bhjd->bihd", F.softmax(logits, dim=-1), v)
        return self.to_out(out.flatten(2)), cache
