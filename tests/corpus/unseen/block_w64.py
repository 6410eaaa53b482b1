import torch
from torch import nn


def channels_first(norm, x):
    """The norm wants (batch, channels, length)."""
    return norm(x.transpose(1, 2)).transpose(1, 2)


def causal_attention(q, k, v):
    logits = torch.einsum("bihd,bjhd->bhij", q, k) * q.shape[-1] ** -0.5
    n = logits.shape[-1]
    idx = torch.arange(n, device=logits.device)
    logits = torch.where(idx[:, None] >= idx[None, :], logits, torch.finfo(logits.dtype).min)
    return torch.einsum("bhij,bjhd->bihd", torch.softmax(logits, dim=-1), v)


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        # one group over all channels: mean and variance over the features
        self.norm_1 = nn.GroupNorm(1, hidden_dim, eps=1e-5)
        self.norm_2 = nn.GroupNorm(1, hidden_dim, eps=1e-5)
        self.to_q = nn.Linear(hidden_dim, hidden_dim)
        self.to_k = nn.Linear(hidden_dim, hidden_dim)
        self.to_v = nn.Linear(hidden_dim, hidden_dim)
        self.to_out = nn.Linear(hidden_dim, hidden_dim)
        self.mlp = nn.Sequential(
            nn.Linear(hidden_dim, 4 * hidden_dim), nn.GELU(), nn.Linear(4 * hidden_dim, hidden_dim)
        )

    def attend(self, h):
        q, k, v = (f(h).unflatten(-1, (self.num_heads, -1)) for f in (self.to_q, self.to_k, self.to_v))
        return self.to_out(causal_attention(q, k, v).flatten(-2))

    def forward(self, x):
        attended = x + self.attend(channels_first(self.norm_1, x))
        return attended + self.mlp(channels_first(self.norm_2, attended))
