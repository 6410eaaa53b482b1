import torch
from torch import nn
from torch.nn import functional as F

PADDING = 0


class Layer(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.n1 = nn.LayerNorm(dim, eps=1e-5)
        self.n2 = nn.LayerNorm(dim, eps=1e-5)
        self.wq, self.wk, self.wv, self.wo = [nn.Linear(dim, dim) for _ in range(4)]
        self.fc, self.proj = nn.Linear(dim, dim * 4), nn.Linear(dim * 4, dim)

    def forward(self, x, tri):
        b, t, d = x.shape
        y = self.n1(x)
        q = self.wq(y).reshape(b, t, self.heads, -1)
        k = self.wk(y).reshape(b, t, self.heads, -1)
        v = self.wv(y).reshape(b, t, self.heads, -1)
        w = torch.einsum('bihd,bjhd->bhij', q, k) / (d // self.heads) ** 0.5
        w = w.masked_fill(~tri, torch.finfo(w.dtype).min).softmax(-1)
        x = x + self.wo(torch.einsum('bhij,bjhd->bihd', w, v).reshape(b, t, d))
        return x + self.proj(F.gelu(self.fc(self.n2(x))))


class MiniGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.block_size = block_size
        self.embed = nn.Embedding(vocab_size, hidden_dim)
        self.places = nn.Parameter(0.02 * torch.randn(block_size, hidden_dim))
        self.layers = nn.ModuleList([Layer(hidden_dim, num_heads) for _ in range(num_layers)])
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(self, tokens):
        t = tokens.shape[1]
        tri = torch.ones(t, t, dtype=torch.bool, device=tokens.device).tril()
        x = self.embed(tokens) + self.places[:t]
        for layer in self.layers:
            x = layer(x, tri)
        return F.linear(self.norm(x), self.embed.weight)


def next_token_loss(logits, tokens):
    logp = F.log_softmax(logits[:, :-1], dim=-1)
    goal = tokens[:, 1:]
    picked = logp.gather(-1, goal.unsqueeze(-1)).squeeze(-1)
    real = goal != PADDING
    return -picked[real].mean()


def train(model, tokens, steps, learning_rate):
    model.train()
    params = list(model.parameters())
    opt = torch.optim.AdamW(params, lr=learning_rate)
    losses = []
    for k in range(steps):
        opt.param_groups[0]['lr'] = learning_rate * (1 - k / steps)
        loss = next_token_loss(model(tokens), tokens)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(params, 1.0)
        opt.step()
        losses.append(float(loss.detach()))
    return losses


def next_token_probabilities(logits, temperature):
    return torch.softmax(logits[:, -1] / temperature, dim=-1)


def pick(logits, temperature):
    if temperature == 0:
        return logits[:, -1].argmax(dim=-1)
    return torch.multinomial(next_token_probabilities(logits, temperature), 1)


def generate(model, tokens, count, temperature=0.0):
    model.eval()
    with torch.no_grad():
        for _ in range(count):
            window = tokens[:, -model.block_size:]
            tokens = torch.cat([tokens, pick(model(window), temperature)], dim=1)
    return tokens
