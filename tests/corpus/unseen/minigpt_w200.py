from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

PADDING = 0


class Attention(nn.Module):
    def __init__(self, dim: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        b, t, m = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        z = torch.einsum("bhid,bhjd->bhij", q, k) / math.sqrt(q.shape[-1])
        future = torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1)
        w = self.drop(z.masked_fill(future, -torch.inf).softmax(-1))
        return self.proj(torch.einsum("bhij,bhjd->bihd", w, v).reshape(b, t, m))


class Block(nn.Module):
    def __init__(self, dim: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.norm_1, self.norm_2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attention = Attention(dim, heads, dropout)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.norm_1(x))
        return x + self.mlp(self.norm_2(x))


class MiniGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int,
        dropout: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__()
        self.block_size = block_size
        self.wte = nn.Embedding(vocab_size, hidden_dim)
        self.wpe = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.Sequential(
            *(Block(hidden_dim, num_heads, dropout) for _ in range(num_layers))
        )
        self.norm = nn.LayerNorm(hidden_dim)
        for e in (self.wte, self.wpe):
            nn.init.normal_(e.weight, std=0.02)

    def forward(self, tokens: Tensor) -> Tensor:
        pos = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.blocks(self.wte(tokens) + self.wpe(pos))
        return F.linear(self.norm(x), self.wte.weight)


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    return F.cross_entropy(
        logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten().long(), ignore_index=PADDING
    )


def _clip(params: list[nn.Parameter], limit: float) -> Tensor:
    """Fused clipping: one foreach for the norms, one for the scaling."""
    grads = [p.grad for p in params if p.grad is not None]
    total = torch.stack(torch._foreach_norm(grads)).sum()
    torch._foreach_mul_(grads, (limit / (total + 1e-6)).clamp(max=1.0))
    return total


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    params = [p for p in model.parameters() if p.requires_grad]
    opt = torch.optim.AdamW(params, lr=learning_rate)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda k: 1 - k / steps)
    model.train()
    losses = []
    for _ in range(steps):
        opt.zero_grad(set_to_none=True)
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        _clip(params, 1.0)
        opt.step()
        sched.step()
        losses.append(loss.item())
    return losses


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    return F.softmax(logits[:, -1] / temperature, dim=-1)


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    model.eval()
    for _ in range(count):
        logits = model(tokens[:, -model.block_size :])
        if temperature > 0:
            nxt = torch.multinomial(next_token_probabilities(logits, temperature), 1)
        else:
            nxt = logits[:, -1].argmax(-1, keepdim=True)
        tokens = torch.cat((tokens, nxt), dim=1)
    return tokens
