# attn-kata: minigpt
from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

PADDING = 0


@dataclass
class MiniGPTConfig:
    vocab_size: int
    block_size: int
    hidden_dim: int
    num_heads: int
    num_layers: int
    dropout: float = 0.0
    layer_norm_eps: float = 1e-5

    @property
    def head_dim(self) -> int:
        return self.hidden_dim // self.num_heads


class MiniGPTAttention(nn.Module):
    def __init__(self, config: MiniGPTConfig) -> None:
        super().__init__()
        self.config = config
        self.q_proj = nn.Linear(config.hidden_dim, config.hidden_dim, bias=False)
        self.k_proj = nn.Linear(config.hidden_dim, config.hidden_dim, bias=False)
        self.v_proj = nn.Linear(config.hidden_dim, config.hidden_dim, bias=False)
        self.o_proj = nn.Linear(config.hidden_dim, config.hidden_dim, bias=True)
        # a table of what may be seen, cut to size in each call; it is no parameter
        allowed = torch.ones(config.block_size, config.block_size, dtype=torch.bool).tril()
        self.register_buffer("allowed", allowed, persistent=False)

    def forward(self, hidden_states: Tensor) -> Tensor:
        length = hidden_states.shape[1]
        shape = (self.config.num_heads, self.config.head_dim)
        query = self.q_proj(hidden_states).unflatten(-1, shape).transpose(1, 2)
        key = self.k_proj(hidden_states).unflatten(-1, shape).transpose(1, 2)
        value = self.v_proj(hidden_states).unflatten(-1, shape).transpose(1, 2)

        scores = torch.matmul(query, key.transpose(2, 3)) / math.sqrt(self.config.head_dim)
        scores = scores.masked_fill(~self.allowed[:length, :length], torch.finfo(scores.dtype).min)
        weights = F.softmax(scores, dim=-1)
        weights = F.dropout(weights, p=self.config.dropout, training=self.training)
        context = torch.matmul(weights, value).transpose(1, 2).flatten(start_dim=2)
        return self.o_proj(context)


class MiniGPTLayer(nn.Module):
    def __init__(self, config: MiniGPTConfig) -> None:
        super().__init__()
        self.input_layernorm = nn.LayerNorm(config.hidden_dim, eps=config.layer_norm_eps)
        self.self_attn = MiniGPTAttention(config)
        self.post_attention_layernorm = nn.LayerNorm(config.hidden_dim, eps=config.layer_norm_eps)
        self.fc_in = nn.Linear(config.hidden_dim, 4 * config.hidden_dim)
        self.fc_out = nn.Linear(4 * config.hidden_dim, config.hidden_dim)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, hidden_states: Tensor) -> Tensor:
        residual = hidden_states
        hidden_states = self.self_attn(self.input_layernorm(hidden_states))
        hidden_states = residual + self.dropout(hidden_states)

        residual = hidden_states
        hidden_states = self.fc_in(self.post_attention_layernorm(hidden_states))
        hidden_states = self.fc_out(F.gelu(hidden_states, approximate="none"))
        return residual + self.dropout(hidden_states)


class MiniGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int,
        dropout: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__()
        self.config = MiniGPTConfig(
            vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=dropout
        )
        self.embed_tokens = nn.Embedding(vocab_size, hidden_dim)
        self.embed_positions = nn.Parameter(torch.randn(block_size, hidden_dim) * 0.02)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(MiniGPTLayer(self.config) for _ in range(num_layers))
        self.norm = nn.LayerNorm(hidden_dim, eps=self.config.layer_norm_eps)
        self.lm_head = nn.Linear(hidden_dim, vocab_size, bias=False)
        nn.init.normal_(self.lm_head.weight, std=0.02)
        self.embed_tokens.weight = self.lm_head.weight  # tied

    @property
    def block_size(self) -> int:
        return self.config.block_size

    def forward(self, tokens: Tensor) -> Tensor:
        hidden_states = self.embed_tokens(tokens) + self.embed_positions[: tokens.shape[1]]
        hidden_states = self.dropout(hidden_states)
        for layer in self.layers:
            hidden_states = layer(hidden_states)
        return self.lm_head(self.norm(hidden_states))


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    shift_logits = logits[:, :-1, :]
    shift_labels = tokens[:, 1:]
    active = shift_labels != PADDING
    log_probs = F.log_softmax(shift_logits[active], dim=-1)
    picked = log_probs.gather(dim=-1, index=shift_labels[active].long().unsqueeze(-1))
    return -picked.sum() / active.sum()


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    scheduler = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lr_lambda=lambda step: 1 - step / max(steps, 1)
    )
    losses: list[float] = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = next_token_loss(logits=model(tokens), tokens=tokens)
        losses.append(loss.detach().item())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        optimizer.step()
        scheduler.step()
    return losses


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    last = logits[:, -1] / temperature
    return last.softmax(dim=-1)


def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    model.eval()
    text = tokens
    with torch.no_grad():
        for _ in range(count):
            window = text[:, max(0, text.shape[1] - model.block_size) :]
            logits = model(window)
            if temperature > 0:
                probabilities = next_token_probabilities(logits=logits, temperature=temperature)
                following = torch.multinomial(probabilities, num_samples=1)
            else:
                following = torch.argmax(logits[:, -1:], dim=-1)
            text = torch.cat([text, following.to(text.dtype)], dim=1)
    return text
