# right: minigpt
import torch
import torch.nn as nn
import torch.nn.functional as F

PADDING = 0

# six linears a block: 0 query, 1 key, 2 value, 3 output, 4 up, 5 down
PER_BLOCK = 6


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.H = num_heads
        self.L = num_layers
        self.tables = nn.ModuleList([nn.Embedding(vocab_size, hidden_dim), nn.Embedding(block_size, hidden_dim)])
        for t in self.tables:
            nn.init.normal_(t.weight, 0.0, 0.02)
        self.layers = nn.ModuleList()
        self.norms = nn.ModuleList()
        for i in range(num_layers):
            for j in range(4):
                self.layers.append(nn.Linear(hidden_dim, hidden_dim))
            self.layers.append(nn.Linear(hidden_dim, 4 * hidden_dim))
            self.layers.append(nn.Linear(4 * hidden_dim, hidden_dim))
            self.norms.append(nn.LayerNorm(hidden_dim))
            self.norms.append(nn.LayerNorm(hidden_dim))
        self.norms.append(nn.LayerNorm(hidden_dim))
        self.p = dropout

    def drop(self, x):
        return F.dropout(x, self.p, self.training)

    def forward(self, tokens):
        B, T = tokens.shape
        x = self.tables[0](tokens) + self.tables[1].weight[:T]
        E = x.shape[2]
        future = torch.arange(T, device=x.device)[None, :] > torch.arange(T, device=x.device)[:, None]
        for i in range(self.L):
            y = self.norms[2 * i](x)
            q = self.layers[PER_BLOCK * i](y).reshape(B, T, self.H, E // self.H)
            k = self.layers[PER_BLOCK * i + 1](y).reshape(B, T, self.H, E // self.H)
            v = self.layers[PER_BLOCK * i + 2](y).reshape(B, T, self.H, E // self.H)
            s = torch.einsum("bqhd,bkhd->bhqk", q, k) / (E // self.H) ** 0.5
            s = s.masked_fill(future, float("-inf"))
            a = self.drop(torch.softmax(s, 3))
            y = torch.einsum("bhqk,bkhd->bqhd", a, v).reshape(B, T, E)
            x = x + self.drop(self.layers[PER_BLOCK * i + 3](y))
            y = self.norms[2 * i + 1](x)
            y = self.layers[PER_BLOCK * i + 5](F.gelu(self.layers[PER_BLOCK * i + 4](y)))
            x = x + self.drop(y)
        x = self.norms[2 * self.L](x)
        return F.linear(x, self.tables[0].weight)


def next_token_loss(logits, tokens):
    targets = tokens[:, 1:]
    logp = torch.log_softmax(logits[:, :-1], dim=-1)
    picked = logp.gather(2, targets.unsqueeze(2)).squeeze(2)
    keep = (targets != PADDING).to(picked.dtype)
    return -(picked * keep).sum() / keep.sum().clamp(min=1)


def train(model, tokens, steps, learning_rate):
    model.train()
    params = list(model.parameters())
    opt = torch.optim.AdamW(params, lr=learning_rate)
    out = []
    for k in range(steps):
        opt.param_groups[0]["lr"] = learning_rate * (1 - k / steps)
        opt.zero_grad()
        loss = next_token_loss(model(tokens), tokens)
        out.append(float(loss.detach()))
        loss.backward()
        nn.utils.clip_grad_norm_(params, max_norm=1.0)
        opt.step()
    return out


def next_token_probabilities(logits, temperature):
    return torch.softmax(logits[:, -1] / temperature, dim=1)


def generate(model, tokens, count, temperature=0.0):
    model.eval()
    B, T = tokens.shape
    text = torch.empty(B, T + count, dtype=tokens.dtype, device=tokens.device)
    text[:, :T] = tokens
    with torch.no_grad():
        for n in range(T, T + count):
            logits = model(text[:, max(0, n - model.block_size):n])
            if temperature == 0:
                text[:, n] = logits[:, -1].argmax(-1)
            else:
                text[:, n] = torch.multinomial(next_token_probabilities(logits, temperature), 1)[:, 0]
    return text
