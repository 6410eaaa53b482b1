# attention/latent.py -- one latent per frame, plus one rotary key
import math
from typing import Any, NamedTuple, Optional

import torch
from torch import nn


class State(NamedTuple):
    c: torch.Tensor
    k_r: torch.Tensor


class MultiHeadLatentAttention(nn.Module):
    """Latent attention layer.

    Args:
        hidden_dim (int): Model width.
        num_heads (int): Number of heads.
        head_dim (int): Width of content queries, keys and values.
        rope_dim (int): Width of the rotary part.
        latent_dim (int): Width of the cached latent.

    """

    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.h, self.d_k, self.d_r = num_heads, head_dim, rope_dim
        self.linear_q = nn.Linear(hidden_dim, num_heads * head_dim)
        self.linear_qr = nn.Linear(hidden_dim, num_heads * rope_dim)
        self.linear_c = nn.Linear(hidden_dim, latent_dim)
        self.linear_kr = nn.Linear(hidden_dim, rope_dim)
        self.linear_k = nn.Linear(latent_dim, num_heads * head_dim)
        self.linear_v = nn.Linear(latent_dim, num_heads * head_dim)
        self.linear_out = nn.Linear(num_heads * head_dim, hidden_dim)
        div_term = torch.exp(
            torch.arange(0, rope_dim, 2, dtype=torch.float64) * -(math.log(10000.0) / self.d_k)
        )
        # kept out of the buffers, so that a cast of the module leaves it in double
        self.div_term = div_term

    def rotate(self, t, offset):
        time = torch.arange(offset, offset + t.size(-2), dtype=torch.float64, device=t.device)
        phase = time.unsqueeze(1) * self.div_term.to(t.device).unsqueeze(0)
        cos, sin = torch.cos(phase).to(t.dtype), torch.sin(phase).to(t.dtype)
        a, b = t.split(self.d_r // 2, dim=-1)
        return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)

    def to_heads(self, t):
        n_batch, time, _ = t.shape
        return t.view(n_batch, time, self.h, -1).transpose(1, 2)

    def forward(self, x, cache: Optional[State] = None) -> "tuple[torch.Tensor, Any]":
        offset = 0 if cache is None else cache.c.size(1)
        new = State(self.linear_c(x), self.rotate(self.linear_kr(x), offset))
        if cache is not None:
            new = State(*(torch.cat(pair, dim=1) for pair in zip(cache, new)))
        q = torch.cat(
            (self.to_heads(self.linear_q(x)), self.rotate(self.to_heads(self.linear_qr(x)), offset)),
            dim=-1,
        )
        k_c = self.to_heads(self.linear_k(new.c))
        k_r = new.k_r.unsqueeze(1).expand(-1, self.h, -1, -1)
        v = self.to_heads(self.linear_v(new.c))
        scores = q.matmul(torch.cat((k_c, k_r), dim=-1).transpose(-2, -1))
        scores = scores / math.sqrt(self.d_k + self.d_r)
        causal = torch.ones(scores.shape[-2:], dtype=torch.bool, device=x.device).tril(offset)
        attn = scores.masked_fill(causal.eq(0), -float("inf")).softmax(dim=-1)
        out = attn.matmul(v).transpose(1, 2).flatten(2)
        return self.linear_out(out), new
