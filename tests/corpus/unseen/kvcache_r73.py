import math
import torch
import torch.nn as nn


class CachedSelfAttention(nn.Module):
    """Tokens go in one at a time, even in the prefill: so no mask is ever needed.

    cache: a tuple of (key, value) pairs, one for each token seen so far
    """

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.H = num_heads
        self.d = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)

    def step(self, token, history):
        # token: (B, D)
        B = token.shape[0]
        q = self.wq(token).view(B, self.H, self.d)
        history = history + ((self.wk(token).view(B, self.H, self.d), self.wv(token).view(B, self.H, self.d)),)
        keys = torch.stack([k for k, _ in history], dim=2)      # (B, H, S, d)
        values = torch.stack([v for _, v in history], dim=2)
        scores = (keys @ q.unsqueeze(-1)).squeeze(-1) / math.sqrt(self.d)
        weights = torch.softmax(scores, dim=-1)
        context = (weights.unsqueeze(-2) @ values).squeeze(-2)  # (B, H, d)
        return self.wo(context.reshape(B, self.H * self.d)), history

    def forward(self, x, cache=None):
        history = () if cache is None else cache
        outputs = []
        for t in range(x.shape[1]):
            y, history = self.step(x[:, t], history)
            outputs.append(y)
        return torch.stack(outputs, dim=1), history
