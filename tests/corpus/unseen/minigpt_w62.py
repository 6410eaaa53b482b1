import torch
import torch.nn as nn
from torch.nn import functional as F

PADDING = 0


class Head(nn.Module):
    def __init__(self, n_embd, head_size, block_size, dropout):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.register_buffer('tril', torch.tril(torch.ones(block_size, block_size)))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        B, T, C = x.shape
        k, q = self.key(x), self.query(x)
        wei = q @ k.transpose(-2, -1) * k.shape[-1]**-0.5
        wei = wei.masked_fill(self.tril[:T, :T] == 0, float('-inf'))
        wei = self.dropout(F.softmax(wei, dim=-1))
        return wei @ self.value(x)


class MultiHeadAttention(nn.Module):
    def __init__(self, n_embd, n_head, block_size, dropout):
        super().__init__()
        self.heads = nn.ModuleList(
            [Head(n_embd, n_embd // n_head, block_size, dropout) for _ in range(n_head)])
        self.proj = nn.Linear(n_embd, n_embd)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.dropout(self.proj(torch.cat([h(x) for h in self.heads], dim=-1)))


class FeedFoward(nn.Module):
    def __init__(self, n_embd, dropout):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(n_embd, 4 * n_embd), nn.GELU(),
            nn.Linear(4 * n_embd, n_embd), nn.Dropout(dropout),
        )

    def forward(self, x):
        return self.net(x)


class Block(nn.Module):
    def __init__(self, n_embd, n_head, block_size, dropout):
        super().__init__()
        self.sa = MultiHeadAttention(n_embd, n_head, block_size, dropout)
        self.ffwd = FeedFoward(n_embd, dropout)
        self.ln1 = nn.LayerNorm(n_embd)
        self.ln2 = nn.LayerNorm(n_embd)

    def forward(self, x):
        x = x + self.sa(self.ln1(x))
        x = x + self.ffwd(self.ln2(x))
        return x


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.token_embedding_table = nn.Embedding(vocab_size, hidden_dim)
        self.position_embedding_table = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.Sequential(
            *[Block(hidden_dim, num_heads, block_size, dropout) for _ in range(num_layers)])
        self.ln_f = nn.LayerNorm(hidden_dim)
        torch.nn.init.normal_(self.token_embedding_table.weight, mean=0.0, std=0.02)

    def forward(self, tokens):
        T = tokens.shape[1]
        x = self.token_embedding_table(tokens) + self.position_embedding_table(torch.arange(T, device=tokens.device))
        x = self.ln_f(self.blocks(x))
        return x @ self.token_embedding_table.weight.t()


def next_token_loss(logits, tokens):
    xb, yb = tokens[:, :-1], tokens[:, 1:]
    nll = F.cross_entropy(logits[:, :-1].transpose(1, 2), yb, reduction='none')
    keep = (xb != PADDING).to(nll.dtype)
    return (nll * keep).sum() / keep.sum()


def train(model, tokens, steps, learning_rate):
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    losses = []
    for k in range(steps):
        for g in optimizer.param_groups:
            g['lr'] = learning_rate * (1 - k / steps)
        loss = next_token_loss(model(tokens), tokens)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses


def next_token_probabilities(logits, temperature):
    return F.softmax(logits[:, -1] / temperature, dim=-1)


@torch.no_grad()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    idx = tokens
    for _ in range(count):
        logits = model(idx[:, -model.block_size:])
        if temperature == 0.0:
            idx_next = logits[:, -1].argmax(-1, keepdim=True)
        else:
            idx_next = torch.multinomial(next_token_probabilities(logits, temperature), 1)
        idx = torch.cat((idx, idx_next), dim=1)
    return idx
