import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim import AdamW
from torch.optim.lr_scheduler import LambdaLR

PADDING = 0


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, d_model, n_heads, p_drop):
        super().__init__()
        self.h, self.d_k = n_heads, d_model // n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(p_drop)

    def split_heads(self, t):
        return t.unflatten(-1, (self.h, self.d_k)).transpose(-2, -3)

    def forward(self, x, mask):
        q, k, v = (self.split_heads(w(x)) for w in (self.W_q, self.W_k, self.W_v))
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.d_k)
        scores = scores.masked_fill(mask, float("-inf"))
        probs = self.drop(torch.softmax(scores, dim=-1))
        return self.W_o(torch.matmul(probs, v).transpose(-2, -3).flatten(-2))


class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, p_drop):
        super().__init__()
        self.self_attn = MultiHeadSelfAttention(d_model, n_heads, p_drop)
        self.ffn = nn.Sequential(
            nn.Linear(d_model, 4 * d_model), nn.GELU(), nn.Linear(4 * d_model, d_model), nn.Dropout(p_drop)
        )
        self.norm1 = nn.LayerNorm(d_model, eps=1e-5)
        self.norm2 = nn.LayerNorm(d_model, eps=1e-5)

    def forward(self, x, mask):
        x = x + self.self_attn(self.norm1(x), mask)
        return x + self.ffn(self.norm2(x))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.tok = nn.Embedding(vocab_size, hidden_dim)
        self.pos = nn.Embedding(block_size, hidden_dim)
        self.layers = nn.ModuleList(
            [DecoderLayer(hidden_dim, num_heads, dropout) for _ in range(num_layers)]
        )
        self.norm = nn.LayerNorm(hidden_dim, eps=1e-5)
        nn.init.normal_(self.tok.weight, std=0.02)

    def forward(self, tokens):
        n = tokens.shape[1]
        mask = torch.triu(torch.ones(n, n, device=tokens.device, dtype=torch.bool), diagonal=1)
        x = self.tok(tokens) + self.pos(torch.arange(n, device=tokens.device))
        for layer in self.layers:
            x = layer(x, mask)
        return F.linear(self.norm(x), self.tok.weight)


def next_token_loss(logits, tokens):
    return F.cross_entropy(
        logits[:, :-1].transpose(1, 2), tokens[:, 1:], ignore_index=PADDING
    )


def train(model, tokens, steps, learning_rate):
    model.train()
    optimizer = AdamW(model.parameters(), lr=learning_rate)
    # linear decay to zero, no warm-up
    scheduler = LambdaLR(optimizer, lr_lambda=lambda step: max(0.0, (steps - step) / steps))
    losses = []
    for step in range(steps):
        optimizer.zero_grad()
        logits = model(tokens)
        loss = next_token_loss(logits, tokens)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scheduler.step()
        optimizer.step()
        losses.append(loss.item())
    return losses


def next_token_probabilities(logits, temperature):
    last = logits[:, -1, :]
    return torch.softmax(last / temperature, dim=-1)


@torch.no_grad()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    out = tokens
    for _ in range(count):
        logits = model(out[:, -model.block_size:])
        if temperature > 0:
            nxt = torch.multinomial(next_token_probabilities(logits, temperature), 1)
        else:
            nxt = torch.argmax(logits[:, -1], dim=-1, keepdim=True)
        out = torch.cat([out, nxt], dim=1)
    return out
