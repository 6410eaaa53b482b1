from __future__ import annotations

import torch
import torch.nn.functional as F
from einops import rearrange
from torch import Tensor, nn

PADDING = 0


class Layer(nn.Module):
    def __init__(self, d: int, h: int, p: float) -> None:
        super().__init__()
        self.h = h
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.out = nn.Linear(d, 3 * d, bias=False), nn.Linear(d, d, bias=False)
        self.up, self.down = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)
        self.drop = nn.Dropout(p)

    def attention(self, x: Tensor) -> Tensor:
        q, k, v = rearrange(self.qkv(x), "b t (c h d) -> c b h t d", c=3, h=self.h)
        s = torch.einsum("bhid,bhjd->bhij", q, k) / q.shape[-1] ** 0.5
        s = s + torch.full_like(s[0, 0], -torch.inf).triu(1)
        return self.out(rearrange(s.softmax(-1) @ v, "b h t d -> b t (h d)"))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.drop(self.attention(self.n1(x)))
        return x + self.drop(self.down(F.gelu(self.up(self.n2(x)))))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.lookup = nn.Embedding(vocab_size, hidden_dim)
        self.where = nn.Parameter(0.02 * torch.randn(block_size, hidden_dim))
        self.lookup.weight.data.mul_(0.02)
        self.layers = nn.Sequential(*[Layer(hidden_dim, num_heads, dropout) for _ in range(num_layers)])
        self.n = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.lookup(tokens) + self.where[: tokens.shape[1]]
        return F.linear(self.n(self.layers(x)), self.lookup.weight)


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    labels = tokens[:, 1:]
    each = F.cross_entropy(rearrange(logits[:, :-1], "b t v -> b v t"), labels, reduction="none")
    counts = (labels != PADDING).to(each.dtype)
    rows = (each * counts).sum(dim=1) / counts.sum(dim=1).clamp(min=1)
    return rows.mean()


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    model.train()
    opt = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lr_lambda=lambda k: (steps - k) / steps)
    out = []
    while len(out) < steps:
        opt.zero_grad()
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1)
        opt.step()
        sched.step()
        out.append(loss.item())
    return out


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    return (logits[:, -1] / temperature).softmax(dim=-1)


def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    model.eval()
    with torch.no_grad():
        for _ in range(count):
            logits = model(tokens[:, -model.block_size :])
            if temperature > 0:
                following = torch.multinomial(next_token_probabilities(logits, temperature), 1)
            else:
                following = logits[:, -1].argmax(-1, keepdim=True)
            tokens = torch.cat((tokens, following), 1)
    return tokens
