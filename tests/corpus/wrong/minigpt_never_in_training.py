# wrong: minigpt eval-in-training line 88
"""A language model that is small enough to learn one sentence."""

import math

import torch
from torch import nn
from torch.nn import functional as F

PAD = 0


def causal_attention(query, key, value):
    length = query.shape[-2]
    scores = torch.matmul(query, key.transpose(-1, -2))
    scores = scores / math.sqrt(query.shape[-1])
    past = torch.tril(torch.ones(length, length, dtype=torch.bool, device=query.device))
    scores = torch.where(past, scores, torch.full_like(scores, -torch.inf))
    return torch.matmul(F.softmax(scores, dim=-1), value)


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.attn_norm = nn.LayerNorm(hidden_dim)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.ffn_norm = nn.LayerNorm(hidden_dim)
        self.fc1 = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.fc2 = nn.Linear(4 * hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def attention(self, x):
        shape = (x.shape[0], x.shape[1], self.num_heads, self.head_dim)
        query = self.q_proj(x).view(shape).permute(0, 2, 1, 3)
        key = self.k_proj(x).view(shape).permute(0, 2, 1, 3)
        value = self.v_proj(x).view(shape).permute(0, 2, 1, 3)
        context = causal_attention(query, key, value)
        context = context.permute(0, 2, 1, 3).reshape(x.shape)
        return self.o_proj(context)

    def feed_forward(self, x):
        hidden = self.fc1(x)
        hidden = F.gelu(hidden)
        return self.fc2(hidden)

    def forward(self, x):
        attended = self.attention(self.attn_norm(x))
        x = x + self.dropout(attended)
        fed = self.feed_forward(self.ffn_norm(x))
        return x + self.dropout(fed)


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.embedding = nn.Embedding(vocab_size, hidden_dim)
        self.positions = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList(
            [TransformerBlock(hidden_dim, num_heads, dropout) for _ in range(num_layers)]
        )
        self.norm_f = nn.LayerNorm(hidden_dim)
        self.embedding.weight.data.mul_(0.02)
        self.positions.weight.data.mul_(0.02)

    def forward(self, tokens):
        places = torch.arange(0, tokens.shape[1], device=tokens.device)
        hidden = self.embedding(tokens) + self.positions(places)
        for block in self.blocks:
            hidden = block(hidden)
        hidden = self.norm_f(hidden)
        return torch.matmul(hidden, self.embedding.weight.transpose(0, 1))


def next_token_loss(logits, tokens):
    log_probs = F.log_softmax(logits[:, :-1], dim=-1)
    targets = tokens[:, 1:]
    picked = log_probs.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    counted = targets != PAD
    return -picked[counted].mean()


def train(model, tokens, steps, learning_rate):
    groups = [{"params": [p]} for p in model.parameters()]
    optimizer = torch.optim.AdamW(groups, lr=learning_rate, foreach=False)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda n: (steps - n) / steps)
    losses = []
    while len(losses) < steps:
        logits = model(tokens)
        loss = next_token_loss(logits, tokens)
        losses.append(float(loss.detach()))
        optimizer.zero_grad(set_to_none=False)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    return losses


def next_token_probabilities(logits, temperature):
    final = logits[:, -1]
    final = final / temperature
    return F.softmax(final, dim=-1)


def generate(model, tokens, count, temperature=0.0):
    model.eval()
    result = tokens
    for _ in range(count):
        with torch.no_grad():
            logits = model(result[:, -model.block_size:])
        if temperature == 0.0:
            token = logits[:, -1].argmax(dim=-1, keepdim=True)
        else:
            token = torch.multinomial(next_token_probabilities(logits, temperature), 1)
        result = torch.cat([result, token], dim=1)
    return result
