"""GPT, a loss, a trainer and a sampler. Names as in Megatron-LM."""
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

PADDING = 0


class TransformerLayer(nn.Module):
    def __init__(self, hidden_size: int, num_heads: int, dropout: float) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.input_layernorm = nn.LayerNorm(hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.dense = nn.Linear(hidden_size, hidden_size)
        self.post_attention_layernorm = nn.LayerNorm(hidden_size)
        self.dense_h_to_4h = nn.Linear(hidden_size, 4 * hidden_size)
        self.dense_4h_to_h = nn.Linear(4 * hidden_size, hidden_size)
        self.hidden_dropout = nn.Dropout(dropout)

    def attention(self, x: Tensor) -> Tensor:
        b, s, h = x.shape
        qkv = self.query_key_value(x).view(b, s, self.num_heads, 3 * h // self.num_heads)
        q, k, v = qkv.transpose(1, 2).chunk(3, dim=-1)
        scores = torch.matmul(q, k.transpose(-1, -2)) / (h // self.num_heads) ** 0.5
        ltor = torch.ones(s, s, device=x.device, dtype=torch.bool).tril()
        probs = scores.masked_fill(ltor.logical_not(), float("-inf")).softmax(-1)
        return self.dense(torch.matmul(probs, v).transpose(1, 2).reshape(b, s, h))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.hidden_dropout(self.attention(self.input_layernorm(x)))
        y = self.dense_h_to_4h(self.post_attention_layernorm(x))
        return x + self.hidden_dropout(self.dense_4h_to_h(F.gelu(y)))


class MiniGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int,
        dropout: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__()
        self.block_size = block_size
        self.word_embeddings = nn.Embedding(vocab_size, hidden_dim)
        self.position_embeddings = nn.Embedding(block_size, hidden_dim)
        self.layers = nn.ModuleList(
            TransformerLayer(hidden_dim, num_heads, dropout) for _ in range(num_layers)
        )
        self.final_layernorm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens: Tensor) -> Tensor:
        position_ids = torch.arange(tokens.size(1), device=tokens.device).expand_as(tokens)
        x = self.word_embeddings(tokens) + self.position_embeddings(position_ids)
        for layer in self.layers:
            x = layer(x)
        return F.linear(self.final_layernorm(x), self.word_embeddings.weight)


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    inputs, labels = tokens[:, :-1], tokens[:, 1:]
    losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), labels, reduction="none")
    loss_mask = (inputs != PADDING).to(losses.dtype)
    return (losses * loss_mask).sum() / loss_mask.sum()


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda it: 1.0 - it / steps)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
    return losses


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    return torch.softmax(logits[:, -1] / temperature, dim=-1)


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    model.eval()
    for _ in range(count):
        logits = model(tokens[:, -model.block_size :])
        if temperature > 0:
            new = torch.multinomial(next_token_probabilities(logits, temperature), num_samples=1)
        else:
            new = logits[:, -1].argmax(dim=-1, keepdim=True)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens
