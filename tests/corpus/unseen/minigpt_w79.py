import torch
from torch import nn
import torch.nn.functional as F

PADDING = 0


class Head(nn.Module):
    def __init__(self, hidden_dim, head_size):
        super().__init__()
        self.key = nn.Linear(hidden_dim, head_size, bias=False)
        self.query = nn.Linear(hidden_dim, head_size, bias=False)
        self.value = nn.Linear(hidden_dim, head_size, bias=False)

    def forward(self, x):
        T = x.shape[1]
        k, q, v = self.key(x), self.query(x), self.value(x)
        wei = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
        tril = torch.tril(torch.ones(T, T, device=x.device))
        wei = wei.masked_fill(tril == 0, float("-inf"))
        return F.softmax(wei, dim=-1) @ v


class Block(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout):
        super().__init__()
        self.heads = nn.ModuleList([Head(hidden_dim, hidden_dim // num_heads) for _ in range(num_heads)])
        self.proj = nn.Linear(hidden_dim, hidden_dim)
        self.ffwd = nn.Sequential(
            nn.Linear(hidden_dim, 4 * hidden_dim),
            nn.GELU(),
            nn.Linear(4 * hidden_dim, hidden_dim),
            nn.Dropout(dropout),
        )
        self.ln1 = nn.LayerNorm(hidden_dim)
        self.ln2 = nn.LayerNorm(hidden_dim)

    def forward(self, x):
        h = self.ln1(x)
        x = x + self.proj(torch.cat([head(h) for head in self.heads], dim=-1))
        x = x + self.ffwd(self.ln2(x))
        return x


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.token_embedding_table = nn.Embedding(vocab_size, hidden_dim)
        self.position_embedding_table = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.Sequential(*[Block(hidden_dim, num_heads, dropout) for _ in range(num_layers)])
        self.ln_f = nn.LayerNorm(hidden_dim)

    def forward(self, idx):
        B, T = idx.shape
        tok_emb = self.token_embedding_table(idx)  # (B,T,C)
        pos_emb = self.position_embedding_table(torch.arange(T, device=idx.device))  # (T,C)
        x = self.ln_f(self.blocks(tok_emb + pos_emb))
        return x @ self.token_embedding_table.weight.t()


def next_token_loss(logits, tokens):
    log_probs = F.log_softmax(logits[:, :-1], dim=-1)
    targets = tokens[:, 1:]
    nll = -log_probs.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    mask = (tokens[:, :-1] != PADDING).to(nll.dtype)
    return (nll * mask).sum() / mask.sum()


def train(model, tokens, steps, learning_rate):
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    model.train()
    losses = []
    for k in range(steps):
        lr = learning_rate * (1 - k / steps)
        for g in optimizer.param_groups:
            g["lr"] = lr
        logits = model(tokens)
        loss = next_token_loss(logits, tokens)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses


def next_token_probabilities(logits, temperature):
    logits = logits[:, -1, :]  # (B, C)
    return F.softmax(logits / temperature, dim=-1)


def generate(model, tokens, count, temperature=0.0):
    model.eval()
    with torch.no_grad():
        for _ in range(count):
            idx_cond = tokens[:, -model.block_size:]
            logits = model(idx_cond)
            if temperature == 0.0:
                idx_next = logits[:, -1].argmax(-1, keepdim=True)
            else:
                probs = next_token_probabilities(logits, temperature)
                idx_next = torch.multinomial(probs, num_samples=1)
            tokens = torch.cat((tokens, idx_next), dim=1)
    return tokens
