# attn-kata: minigpt
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

PADDING = 0


class CausalSelfAttention(nn.Module):
    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.d_k = d_model // n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor) -> Tensor:
        b, n, d = x.size()
        q = self.W_q(x).view(b, n, self.n_heads, self.d_k).transpose(1, 2)
        k = self.W_k(x).view(b, n, self.n_heads, self.d_k).transpose(1, 2)
        v = self.W_v(x).view(b, n, self.n_heads, self.d_k).transpose(1, 2)
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.d_k)
        mask = torch.triu(torch.ones(n, n, device=x.device), diagonal=1).bool()  # 未来的位置
        scores = scores.masked_fill(mask, float("-inf"))
        out = torch.matmul(F.softmax(scores, dim=-1), v)
        return self.W_o(out.transpose(1, 2).contiguous().view(b, n, d))


class DecoderLayer(nn.Module):
    def __init__(self, d_model: int, n_heads: int, dropout: float) -> None:
        super().__init__()
        self.norm_1 = nn.LayerNorm(d_model)
        self.attention = CausalSelfAttention(d_model, n_heads)
        self.norm_2 = nn.LayerNorm(d_model)
        self.mlp = nn.Sequential(nn.Linear(d_model, 4 * d_model), nn.GELU(), nn.Linear(4 * d_model, d_model))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.dropout(self.attention(self.norm_1(x)))  # 残差
        x = x + self.dropout(self.mlp(self.norm_2(x)))
        return x


class MiniGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int,
        dropout: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__()
        self.block_size = block_size
        self.tok_emb = nn.Embedding(vocab_size, hidden_dim)
        self.pos_emb = nn.Embedding(block_size, hidden_dim)
        self.layers = nn.ModuleList([DecoderLayer(hidden_dim, num_heads, dropout) for _ in range(num_layers)])
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor) -> Tensor:
        pos = torch.arange(tokens.size(1), device=tokens.device).unsqueeze(0)
        x = self.tok_emb(tokens) + self.pos_emb(pos)
        for layer in self.layers:
            x = layer(x)
        return F.linear(self.norm(x), self.tok_emb.weight)  # 权重共享


# 损失：第 t 个位置预测第 t + 1 个词，padding 不计入
def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    pred = logits[:, :-1]
    target = tokens[:, 1:]
    mask = tokens[:, :-1] != PADDING
    loss = F.cross_entropy(pred.transpose(1, 2), target, reduction="none")
    return (loss * mask).sum() / mask.sum()


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    model.train()
    opt = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    losses = []
    for k in range(steps):
        opt.param_groups[0]["lr"] = learning_rate * (1 - k / steps)
        opt.zero_grad()
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        losses.append(loss.item())
    return losses


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    return torch.softmax(logits[:, -1] / temperature, dim=-1)


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    model.eval()
    for _ in range(count):
        logits = model(tokens[:, -model.block_size:])
        if temperature == 0.0:
            nxt = torch.argmax(logits[:, -1], dim=-1, keepdim=True)
        else:
            nxt = torch.multinomial(next_token_probabilities(logits, temperature), 1)
        tokens = torch.cat([tokens, nxt], dim=1)
    return tokens
