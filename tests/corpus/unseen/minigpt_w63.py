from __future__ import annotations

import torch
import torch.nn.functional as F
from einops import rearrange
from torch import Tensor, einsum, nn

PADDING = 0


class PreNormResidual(nn.Module):
    def __init__(self, dim, fn):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.fn = fn

    def forward(self, x):
        return self.fn(self.norm(x)) + x


class Attention(nn.Module):
    def __init__(self, dim, heads, dropout=0.0):
        super().__init__()
        self.heads, self.scale = heads, (dim // heads) ** -0.5
        self.to_qkv = nn.Linear(dim, dim * 3, bias=False)
        self.to_out = nn.Linear(dim, dim, bias=False)
        self.attn_dropout = nn.Dropout(dropout)

    def forward(self, x):
        n, h = x.shape[1], self.heads
        q, k, v = rearrange(self.to_qkv(x), "b n (qkv h d) -> qkv b h n d", qkv=3, h=h)
        sim = einsum("b h i d, b h j d -> b h i j", q * self.scale, k)
        causal_mask = torch.ones((n, n), dtype=torch.bool, device=x.device).triu(1)
        sim = sim.masked_fill(causal_mask, -torch.finfo(sim.dtype).max)
        attn = self.attn_dropout(sim.softmax(dim=-1))
        out = einsum("b h i j, b h j d -> b h i d", attn, v)
        return self.to_out(rearrange(out, "b h n d -> b n (h d)"))


def FeedForward(dim, mult=4, dropout=0.0):
    return nn.Sequential(nn.Linear(dim, dim * mult), nn.GELU(), nn.Dropout(dropout), nn.Linear(dim * mult, dim))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.token_emb = nn.Embedding(vocab_size, hidden_dim)
        self.pos_emb = nn.Parameter(torch.randn(block_size, hidden_dim) * 0.02)
        nn.init.normal_(self.token_emb.weight, std=0.02)
        layers = []
        for _ in range(num_layers):
            layers += [
                PreNormResidual(hidden_dim, Attention(hidden_dim, num_heads, dropout)),
                PreNormResidual(hidden_dim, FeedForward(hidden_dim, dropout=dropout)),
            ]
        self.net = nn.Sequential(*layers, nn.LayerNorm(hidden_dim))

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.token_emb(tokens) + self.pos_emb[: tokens.shape[-1]]
        return einsum("b n d, v d -> b n v", self.net(x), self.token_emb.weight)


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    guess, label = logits[:, :-1], tokens[:, 1:]
    return F.cross_entropy(rearrange(guess, "b n v -> b v n"), label, ignore_index=PADDING)


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    model.train()
    optim = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    sched = torch.optim.lr_scheduler.LinearLR(
        optim, start_factor=1.0, end_factor=0.0, total_iters=steps
    )
    losses = []
    for _ in range(steps):
        optim.zero_grad()
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optim.step()
        sched.step()
        losses.append(loss.item())
    return losses


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    return (logits[:, -1] / temperature).softmax(dim=-1)


def pick(logits: Tensor, temperature: float) -> Tensor:
    if temperature == 0:
        return logits[:, -1].argmax(dim=-1, keepdim=True)
    return torch.multinomial(next_token_probabilities(logits, temperature), 1)


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    model.eval()
    written, window = [tokens], tokens[:, -model.block_size :]
    for _ in range(count):
        sampled = pick(model(window), temperature)
        window = torch.cat((window, sampled), dim=-1)
        written.append(sampled)
    return torch.cat(written, dim=-1)
