import torch
from torch import nn
from torch.nn.functional import linear


class CachedCrossAttention(nn.Module):
    """cache = one tensor, (2, batch, heads, memory_length, head_dim), and the additive mask."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.kv = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.w_query = nn.Parameter(torch.empty(hidden_dim, hidden_dim))
        self.w_out = nn.Parameter(torch.empty(hidden_dim, hidden_dim))
        nn.init.xavier_normal_(self.w_query)
        nn.init.xavier_normal_(self.w_out)

    def _remember(self, memory, memory_lengths):
        b, s, e = memory.shape
        kv = self.kv(memory).view(b, s, 2, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        behind = torch.arange(s, device=memory.device) >= memory_lengths.to(memory.device).unsqueeze(-1)
        mask = torch.zeros(b, s, dtype=memory.dtype, device=memory.device)
        return kv, mask.masked_fill(behind, float("-inf")).view(b, 1, 1, s)

    def forward(self, x, memory, memory_lengths, cache=None):
        cache = self._remember(memory, memory_lengths) if cache is None else cache
        (key, value), mask = cache
        q = linear(x, self.w_query).unflatten(-1, (self.num_heads, -1)).swapaxes(1, 2)
        logits = q.mul(q.size(-1) ** -0.5) @ key.mT + mask
        mixed = logits.softmax(-1).matmul(value)
        return linear(mixed.swapaxes(1, 2).flatten(-2), self.w_out), cache
