"""Decoder-only LM, ported from a flax example (names kept)."""
import torch
import torch.nn.functional as F
from torch import nn

PADDING = 0


class CausalAttention(nn.Module):
    def __init__(self, features, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.query, self.key, self.value, self.out = (nn.Linear(features, features) for _ in range(4))

    def forward(self, inputs):
        split = lambda a: a.unflatten(-1, (self.num_heads, -1))
        query, key, value = split(self.query(inputs)), split(self.key(inputs)), split(self.value(inputs))
        logits = torch.einsum("bqhd,bkhd->bhqk", query * query.shape[-1] ** -0.5, key)
        idx = torch.arange(inputs.shape[1], device=inputs.device)
        logits = torch.where(idx[:, None] >= idx, logits, torch.finfo(logits.dtype).min)
        return self.out(torch.einsum("bhqk,bkhd->bqhd", logits.softmax(-1), value).flatten(2))


class DecoderLayer(nn.Module):
    def __init__(self, features, num_heads):
        super().__init__()
        self.LayerNorm_0, self.LayerNorm_1 = nn.LayerNorm(features), nn.LayerNorm(features)
        self.attention = CausalAttention(features, num_heads)
        self.wi, self.wo = nn.Linear(features, 4 * features), nn.Linear(4 * features, features)

    def forward(self, x):
        x = x + self.attention(self.LayerNorm_0(x))
        return x + self.wo(F.gelu(self.wi(self.LayerNorm_1(x)), approximate="none"))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.embed = nn.Embedding(vocab_size, hidden_dim)
        self.posembed = nn.Embedding(block_size, hidden_dim)
        for table in (self.embed, self.posembed):
            nn.init.normal_(table.weight, std=0.02)
        self.layers = nn.ModuleList(DecoderLayer(hidden_dim, num_heads) for _ in range(num_layers))
        self.encoder_norm = nn.LayerNorm(hidden_dim, eps=1e-5)

    def attend(self, x):
        return F.linear(x, self.embed.weight)

    def forward(self, tokens):
        x = self.embed(tokens) + self.posembed(torch.arange(tokens.shape[1], device=tokens.device))
        for layer in self.layers:
            x = layer(x)
        return self.attend(self.encoder_norm(x))


def next_token_loss(logits, tokens):
    targets = tokens[:, 1:]
    weights = (targets != PADDING).to(logits.dtype)
    log_probs = F.log_softmax(logits[:, :-1], dim=-1)
    nll = -torch.take_along_dim(log_probs, targets[..., None], dim=-1).squeeze(-1)
    return (nll * weights).mean()


def train_step(model, optimizer, tokens):
    optimizer.zero_grad()
    loss = next_token_loss(model(tokens), tokens)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss.item()


def train(model, tokens, steps, learning_rate):
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / steps)
    history = []
    for _ in range(steps):
        history.append(train_step(model, optimizer, tokens))
        schedule.step()
    return history


def next_token_probabilities(logits, temperature):
    return F.softmax(logits[:, -1] / temperature, dim=-1)


@torch.no_grad()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    for _ in range(count):
        logits = model(tokens[:, -model.block_size :])
        if temperature == 0.0:
            token = logits[:, -1:].argmax(-1)
        else:
            token = torch.multinomial(next_token_probabilities(logits, temperature), num_samples=1)
        tokens = torch.concatenate((tokens, token), dim=1)
    return tokens
