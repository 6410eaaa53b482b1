import torch
import torch.nn as nn
import torch.nn.functional as F

PADDING = 0
CLIP = 1.0


class SelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width, bias=False)
        self.out = nn.Linear(width, width)

    def split(self, t):
        return t.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x):
        q = self.split(self.query(x))
        k = self.split(self.key(x))
        v = self.split(self.value(x))
        scores = q @ k.transpose(-2, -1)
        scores = scores * q.size(-1) ** -0.5
        allowed = torch.tril(torch.ones(x.size(1), x.size(1), device=x.device))
        scores = scores.masked_fill(allowed == 0, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        mixed = weights @ v
        merged = mixed.transpose(1, 2).flatten(2)
        return self.out(merged)


class FeedForward(nn.Sequential):
    def __init__(self, width):
        super().__init__(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))


class Layer(nn.Module):
    def __init__(self, width, heads, dropout):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = SelfAttention(width, heads)
        self.norm2 = nn.LayerNorm(width)
        self.feed_forward = FeedForward(width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        h = x + self.dropout(self.attention(self.norm1(x)))
        return h + self.dropout(self.feed_forward(self.norm2(h)))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.token_table = nn.Embedding(vocab_size, hidden_dim)
        self.position_table = nn.Parameter(torch.randn(block_size, hidden_dim) * 0.02)
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(Layer(hidden_dim, num_heads, dropout))
        self.final_norm = nn.LayerNorm(hidden_dim)
        nn.init.normal_(self.token_table.weight, std=0.02)

    def forward(self, tokens):
        x = self.token_table(tokens)
        x = x + self.position_table[: tokens.size(1)]
        for layer in self.layers:
            x = layer(x)
        return F.linear(self.final_norm(x), self.token_table.weight)


def next_token_loss(logits, tokens):
    inputs, targets = logits[:, :-1], tokens[:, 1:]
    losses = F.cross_entropy(inputs.transpose(1, 2), targets, reduction="none")
    real = (targets != PADDING).to(losses.dtype)
    return (losses * real).sum() / real.sum()


def one_step(model, tokens, optimizer):
    optimizer.zero_grad()
    loss = next_token_loss(model(tokens), tokens)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), CLIP)
    optimizer.step()
    return loss.item()


def train(model, tokens, steps, learning_rate):
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    losses = []
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * (1 - step / steps)
        losses.append(one_step(model, tokens, optimizer))
    return losses


def next_token_probabilities(logits, temperature):
    last = logits[:, -1]
    return torch.softmax(last / temperature, dim=-1)


def generate(model, tokens, count, temperature=0.0):
    model.eval()
    text = tokens
    with torch.no_grad():
        for _ in range(count):
            seen = text[:, -model.block_size:]
            logits = model(seen)
            if temperature > 0:
                chances = next_token_probabilities(logits, temperature)
                token = torch.multinomial(chances, num_samples=1)
            else:
                token = torch.argmax(logits[:, -1], dim=-1, keepdim=True)
            text = torch.cat([text, token], dim=-1)
    return text
