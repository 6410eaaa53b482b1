import torch
import torch.nn.functional as F
from torch import nn, einsum

PADDING = 0


class Attention(nn.Module):
    def __init__(self, dim, heads, dropout):
        super().__init__()
        self.heads = heads
        self.scale = (dim // heads) ** -0.5
        self.norm = nn.LayerNorm(dim)
        self.to_qkv = nn.Linear(dim, dim * 3, bias=False)
        self.to_out = nn.Linear(dim, dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        n = x.shape[1]
        q, k, v = self.to_qkv(self.norm(x)).unflatten(-1, (3, self.heads, -1)).unbind(2)
        sim = einsum("b i h d, b j h d -> b h i j", q, k) * self.scale
        sim = sim.masked_fill(torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1), -torch.finfo(sim.dtype).max)
        attn = self.dropout(sim.softmax(dim=-1))
        return self.to_out(einsum("b h i j, b j h d -> b i h d", attn, v).flatten(2))


def FeedForward(dim, dropout):
    return nn.Sequential(
        nn.LayerNorm(dim), nn.Linear(dim, dim * 4), nn.GELU(), nn.Dropout(dropout), nn.Linear(dim * 4, dim)
    )


class Layer(nn.Module):
    def __init__(self, dim, heads, dropout):
        super().__init__()
        self.attn, self.ff = Attention(dim, heads, dropout), FeedForward(dim, dropout)

    def forward(self, x):
        x = self.attn(x) + x
        return self.ff(x) + x


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.token_emb = nn.Embedding(vocab_size, hidden_dim)
        self.pos_emb = nn.Embedding(block_size, hidden_dim)
        self.layers = nn.Sequential(*[Layer(hidden_dim, num_heads, dropout)] * num_layers)
        self.norm = nn.LayerNorm(hidden_dim)
        nn.init.normal_(self.token_emb.weight, std=0.02)

    def forward(self, tokens):
        x = self.token_emb(tokens)
        x = x + self.pos_emb(torch.arange(x.shape[1], device=x.device))
        return self.norm(self.layers(x)) @ self.token_emb.weight.t()


def next_token_loss(logits, tokens):
    # b n v -> b v n
    return F.cross_entropy(logits[:, :-1].transpose(1, 2), tokens[:, 1:], ignore_index=PADDING)


def train(model, tokens, steps, learning_rate):
    model.train()
    optim = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    sched = torch.optim.lr_scheduler.LambdaLR(optim, lr_lambda=lambda k: (steps - k) / steps)
    losses = []
    for _ in range(steps):
        loss = next_token_loss(model(tokens), tokens)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optim.step()
        sched.step()
        optim.zero_grad()
        losses.append(loss.item())
    return losses


def next_token_probabilities(logits, temperature):
    return F.softmax(logits[:, -1] / temperature, dim=-1)


@torch.no_grad()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    out = tokens
    for _ in range(count):
        logits = model(out[:, -model.block_size:])
        greedy = temperature == 0.0
        sample = logits[:, -1:].argmax(-1) if greedy else torch.multinomial(next_token_probabilities(logits, temperature), 1)
        out = torch.cat((out, sample), dim=-1)
    return out
