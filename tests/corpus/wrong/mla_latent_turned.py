# wrong: mla rope-on-latent line 30
import math
import torch
import torch.nn as nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.num_heads, self.head_dim, self.rope_dim = num_heads, head_dim, rope_dim
        self.query = nn.Linear(hidden_dim, num_heads * head_dim)
        self.query_rope = nn.Linear(hidden_dim, num_heads * rope_dim)
        self.compress = nn.Linear(hidden_dim, latent_dim)
        self.key_rope = nn.Linear(hidden_dim, rope_dim)
        self.key_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.value_up = nn.Linear(latent_dim, num_heads * head_dim)
        self.output = nn.Linear(num_heads * head_dim, hidden_dim)

    def positional(self, x, start):
        width = x.shape[-1]
        freq = 10000 ** (-torch.arange(0, width, 2, device=x.device) / width)
        angle = torch.arange(start, start + x.shape[-2], device=x.device).unsqueeze(1) * freq
        left, right = x.chunk(2, dim=-1)
        out = torch.cat([left * angle.cos() - right * angle.sin(), right * angle.cos() + left * angle.sin()], -1)
        return out.to(x.dtype)

    def forward(self, x, cache=None):
        batch, length, _ = x.shape
        start = 0 if cache is None else cache[0].shape[1]
        latent = self.positional(self.compress(x), start)
        key_rope = self.positional(self.key_rope(x), start)
        if cache is not None:
            latent = torch.cat([cache[0], latent], dim=1)
            key_rope = torch.cat([cache[1], key_rope], dim=1)
        split = lambda t: t.view(batch, t.shape[1], self.num_heads, -1).transpose(1, 2)
        q = split(self.query(x))
        q_rope = self.positional(split(self.query_rope(x)), start)
        scores = torch.matmul(q, split(self.key_up(latent)).transpose(-1, -2))
        scores = scores + torch.matmul(q_rope, key_rope.unsqueeze(1).transpose(-1, -2))
        scores = scores / math.sqrt(self.head_dim + self.rope_dim)
        total = latent.shape[1]
        ahead = torch.arange(total, device=x.device) > torch.arange(start, total, device=x.device)[:, None]
        weights = torch.softmax(scores.masked_fill(ahead, float("-inf")), dim=-1)
        context = torch.matmul(weights, split(self.value_up(latent)))
        return self.output(context.transpose(1, 2).flatten(2)), (latent, key_rope)
