import torch
from torch import nn


class CausalSelfAttention(nn.Module):
    """Causal attention by distance: gap[i, j] = i - j says how far back key j lies."""

    def __init__(self, hidden_dim, num_heads, block_size):
        super().__init__()
        self.num_heads = num_heads
        self.block_size = block_size
        self.w_in = nn.Parameter(torch.empty(hidden_dim, 3 * hidden_dim))
        self.w_out = nn.Parameter(torch.empty(hidden_dim, hidden_dim))
        nn.init.xavier_uniform_(self.w_in)
        nn.init.xavier_uniform_(self.w_out)

    def reachable(self, n, device):
        pos = torch.arange(n, device=device)
        gap = pos.unsqueeze(1) - pos.unsqueeze(0)
        return (gap >= 0) & (gap < self.block_size - 1)

    def forward(self, x):
        b, n, d = x.shape
        h = self.num_heads
        q, k, v = (x @ self.w_in).reshape(b, n, 3, h, d // h).permute(2, 0, 3, 1, 4)
        scores = torch.einsum("bhid,bhjd->bhij", q, k) / (d // h) ** 0.5
        scores = scores.masked_fill(~self.reachable(n, x.device), torch.finfo(scores.dtype).min)
        out = torch.einsum("bhij,bhjd->bihd", torch.softmax(scores, -1), v)
        return out.reshape(b, n, d) @ self.w_out
