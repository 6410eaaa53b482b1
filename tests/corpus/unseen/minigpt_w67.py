from __future__ import annotations

import torch
from torch import Tensor, nn

PADDING = 0


class Dense(nn.Module):
    def __init__(self, in_units: int, units: int, activation=None) -> None:
        super().__init__()
        self.kernel = nn.Parameter(nn.init.xavier_uniform_(torch.empty(in_units, units)))
        self.bias = nn.Parameter(torch.zeros(units))
        self.activation = activation or (lambda t: t)

    def forward(self, inputs: Tensor) -> Tensor:
        return self.activation(torch.matmul(inputs, self.kernel) + self.bias)


class TransformerBlock(nn.Module):
    def __init__(self, embed_dim: int, num_heads: int, rate: float) -> None:
        super().__init__()
        self.num_heads, self.key_dim = num_heads, embed_dim // num_heads
        self.query, self.key, self.value = (Dense(embed_dim, embed_dim) for _ in range(3))
        self.combine_heads = Dense(embed_dim, embed_dim)
        self.ffn = nn.Sequential(
            Dense(embed_dim, 4 * embed_dim, activation=nn.functional.gelu),
            Dense(4 * embed_dim, embed_dim),
        )
        self.layernorm1 = nn.LayerNorm(embed_dim, eps=1e-5)
        self.layernorm2 = nn.LayerNorm(embed_dim, eps=1e-5)
        self.dropout = nn.Dropout(rate)

    def attention(self, inputs: Tensor) -> Tensor:
        batch, length, _ = inputs.shape
        split = (batch, length, self.num_heads, self.key_dim)
        query, key, value = (f(inputs).reshape(split) for f in (self.query, self.key, self.value))
        logits = torch.einsum("bqnd,bknd->bnqk", query, key) / self.key_dim**0.5
        mask = torch.ones((length, length), dtype=torch.bool, device=inputs.device).tril()
        probs = torch.softmax(torch.where(mask, logits, -torch.inf), dim=-1)
        outputs = torch.einsum("bnqk,bknd->bqnd", probs, value)
        return self.combine_heads(outputs.reshape(batch, length, -1))

    def forward(self, inputs: Tensor) -> Tensor:
        attended = inputs + self.dropout(self.attention(self.layernorm1(inputs)))
        return attended + self.dropout(self.ffn(self.layernorm2(attended)))


class MiniGPT(nn.Module):
    def __init__(
        self, vocab_size: int, block_size: int, hidden_dim: int, num_heads: int, num_layers: int,
        dropout: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__()
        self.block_size = block_size
        self.embeddings = nn.Parameter(torch.randn(vocab_size, hidden_dim) * 0.02)
        self.position_embeddings = nn.Parameter(torch.randn(block_size, hidden_dim) * 0.02)
        self.blocks = nn.ModuleList(
            TransformerBlock(hidden_dim, num_heads, dropout) for _ in range(num_layers)
        )
        self.final_norm = nn.LayerNorm(hidden_dim, eps=1e-5)

    def forward(self, tokens: Tensor) -> Tensor:
        length = tokens.shape[1]
        hidden = self.embeddings[tokens] + self.position_embeddings[None, :length]
        for block in self.blocks:
            hidden = block(hidden)
        return torch.matmul(self.final_norm(hidden), torch.transpose(self.embeddings, 0, 1))


def next_token_loss(logits: Tensor, tokens: Tensor) -> Tensor:
    inputs, labels = tokens[:, :-1], tokens[:, 1:]
    log_probs = torch.log_softmax(logits[:, :-1], dim=-1)
    per_token = -torch.gather(log_probs, -1, labels.unsqueeze(-1)).squeeze(-1)
    sample_weight = torch.not_equal(inputs, PADDING).to(per_token.dtype)
    return torch.sum(per_token * sample_weight) / torch.sum(sample_weight)


def train(model: nn.Module, tokens: Tensor, steps: int, learning_rate: float) -> list[float]:
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    history: list[float] = []
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = learning_rate * (1.0 - step / steps)
        loss = next_token_loss(model(tokens), tokens)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        history.append(float(loss.detach()))
    return history


def next_token_probabilities(logits: Tensor, temperature: float) -> Tensor:
    return torch.softmax(logits[:, -1, :] / temperature, dim=-1)


@torch.no_grad()
def generate(model: nn.Module, tokens: Tensor, count: int, temperature: float = 0.0) -> Tensor:
    model.eval()
    for _ in range(count):
        logits = model(tokens[:, -model.block_size :])
        if temperature > 0:
            sampled = torch.multinomial(next_token_probabilities(logits, temperature), 1)
        else:
            sampled = torch.argmax(logits[:, -1, :], dim=-1, keepdim=True)
        tokens = torch.concat([tokens, sampled], dim=1)
    return tokens
