# attn-kata: minigpt
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

PADDING = 0


class Head(nn.Module):
    """one head of self-attention"""

    def __init__(self, n_embd: int, head_size: int, dropout: float) -> None:
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        B, T, C = x.shape
        k = self.key(x)  # (B, T, hs)
        q = self.query(x)  # (B, T, hs)
        wei = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5  # (B, T, T)
        tril = torch.tril(torch.ones(T, T, device=x.device))
        wei = wei.masked_fill(tril == 0, float("-inf"))
        wei = self.dropout(F.softmax(wei, dim=-1))
        return wei @ self.value(x)  # (B, T, hs)


class MultiHead(nn.Module):
    def __init__(self, n_embd: int, n_head: int, dropout: float) -> None:
        super().__init__()
        self.heads = nn.ModuleList([Head(n_embd, n_embd // n_head, dropout) for _ in range(n_head)])
        self.proj = nn.Linear(n_embd, n_embd)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        out = torch.cat([h(x) for h in self.heads], dim=-1)
        return self.dropout(self.proj(out))


class Block(nn.Module):
    def __init__(self, n_embd: int, n_head: int, dropout: float) -> None:
        super().__init__()
        self.sa = MultiHead(n_embd, n_head, dropout)
        self.ffwd = nn.Sequential(
            nn.Linear(n_embd, 4 * n_embd),
            nn.GELU(),
            nn.Linear(4 * n_embd, n_embd),
            nn.Dropout(dropout),
        )
        self.ln1 = nn.LayerNorm(n_embd)
        self.ln2 = nn.LayerNorm(n_embd)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.sa(self.ln1(x))
        x = x + self.ffwd(self.ln2(x))
        return x


class MiniGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int,
        dropout: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__()
        self.block_size = block_size
        self.token_embedding_table = nn.Embedding(vocab_size, hidden_dim)
        self.position_embedding_table = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.Sequential(*[Block(hidden_dim, num_heads, dropout) for _ in range(num_layers)])
        self.ln_f = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor) -> Tensor:
        B, T = tokens.shape
        tok_emb = self.token_embedding_table(tokens)  # (B, T, C)
        pos_emb = self.position_embedding_table(torch.arange(T, device=tokens.device))  # (T, C)
        x = self.ln_f(self.blocks(tok_emb + pos_emb))  # (B, T, C)
        return x @ self.token_embedding_table.weight.T  # (B, T, vocab_size)


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    logits, targets = logits[:, :-1], tokens[:, 1:]
    B, T, C = logits.shape
    return F.cross_entropy(logits.reshape(B * T, C), targets.reshape(B * T), ignore_index=PADDING)


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    lossi = []
    for k in range(steps):
        for g in optimizer.param_groups:
            g["lr"] = learning_rate * (1 - k / steps)
        loss = next_token_loss(model(tokens), tokens)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        lossi.append(loss.item())
    return lossi


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    return F.softmax(logits[:, -1, :] / temperature, dim=-1)  # (B, C)


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    model.eval()
    idx = tokens
    for _ in range(count):
        idx = idx[:, -model.block_size :]
        logits = model(idx)
        if temperature == 0:
            idx_next = logits[:, -1, :].argmax(dim=-1, keepdim=True)  # (B, 1)
        else:
            idx_next = torch.multinomial(next_token_probabilities(logits, temperature), num_samples=1)
        idx = torch.cat((idx, idx_next), dim=1)  # (B, T + 1)
    return idx
