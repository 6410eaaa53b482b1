import torch
from einops import rearrange
from einops.layers.torch import Rearrange
from torch import einsum, nn

PADDING = 0


class CausalCore(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.split = Rearrange("b t (h three d) -> three b h t d", three=3, h=heads)

    def forward(self, qkv):
        q, k, v = self.split(qkv)
        sim = einsum("b h i d, b h j d -> b h i j", q * q.shape[-1] ** -0.5, k)
        steps = torch.arange(sim.shape[-1], device=sim.device)
        sim = sim.masked_fill(rearrange(steps, "i -> i 1") < rearrange(steps, "j -> 1 j"), -torch.finfo(sim.dtype).max)
        return rearrange(einsum("b h i j, b h j d -> b h i d", sim.softmax(dim=-1), v), "b h t d -> b t (h d)")


class MiniGPT(nn.Module):
    """No block class: each layer is a ModuleDict."""

    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, dropout=0.0):
        super().__init__()
        self.config = dict(vocab_size=vocab_size, block_size=block_size, dropout=dropout)
        self.token_embedding = nn.Embedding(vocab_size, hidden_dim)
        self.position_embedding = nn.Parameter(torch.zeros(1, block_size, hidden_dim))
        nn.init.trunc_normal_(self.token_embedding.weight, std=0.02)
        nn.init.trunc_normal_(self.position_embedding, std=0.02)
        self.core = CausalCore(num_heads)
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            layer = nn.ModuleDict()
            layer["norm_1"] = nn.LayerNorm(hidden_dim, eps=1e-5)
            layer["qkv"] = nn.Linear(hidden_dim, 3 * hidden_dim)
            layer["proj"] = nn.Linear(hidden_dim, hidden_dim)
            layer["norm_2"] = nn.LayerNorm(hidden_dim, eps=1e-5)
            layer["mlp"] = nn.Sequential(nn.Linear(hidden_dim, 4 * hidden_dim), nn.GELU("none"), nn.Linear(4 * hidden_dim, hidden_dim))
            layer["drop"] = nn.Dropout(dropout)
            self.layers.append(layer)
        self.final_norm = nn.LayerNorm(hidden_dim)

    @property
    def block_size(self):
        return self.config["block_size"]

    def forward(self, tokens):
        n = tokens.shape[1]
        stream = self.token_embedding(tokens) + self.position_embedding[:, :n]
        for layer in self.layers:
            stream = stream + layer["drop"](layer["proj"](self.core(layer["qkv"](layer["norm_1"](stream)))))
            stream = stream + layer["drop"](layer["mlp"](layer["norm_2"](stream)))
        return self.final_norm(stream) @ self.token_embedding.weight.T


def next_token_loss(logits, tokens):
    targets = tokens[:, 1:].flatten()
    keep = targets != PADDING
    log_p = torch.log_softmax(logits[:, :-1].flatten(0, 1)[keep], dim=-1)
    return -log_p[torch.arange(len(log_p), device=log_p.device), targets[keep]].mean()


def train(model, tokens, steps, learning_rate):
    model.train()
    losses = []
    opt = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    for k in range(steps):
        opt.param_groups[0]["lr"] = learning_rate * (steps - k) / steps
        loss = next_token_loss(model(tokens), tokens)
        opt.zero_grad()
        loss.backward()
        grads = [p.grad for p in model.parameters() if p.grad is not None]
        norm = torch.linalg.vector_norm(torch.cat([g.flatten() for g in grads]))
        if norm > 1:
            for g in grads:
                g.div_(norm)
        opt.step()
        losses.append(loss.tolist())
    return losses


def next_token_probabilities(logits, temperature):
    last = logits[:, -1] / temperature
    e = (last - last.amax(dim=-1, keepdim=True)).exp()
    return e / e.sum(dim=-1, keepdim=True)


@torch.no_grad()
def generate(model, tokens, count, temperature=0.0):
    model.eval()
    start = tokens.shape[1]
    text = torch.cat([tokens, tokens.new_zeros(tokens.shape[0], count)], dim=1)
    for t in range(start, start + count):
        logits = model(text[:, max(0, t - model.block_size) : t])
        if temperature > 0:
            # inverse of the cumulative distribution
            cdf = next_token_probabilities(logits, temperature).cumsum(dim=-1)
            u = torch.rand(len(text), 1, device=text.device, dtype=cdf.dtype) * cdf[:, -1:]
            text[:, t] = torch.searchsorted(cdf, u, right=True).clamp_max(cdf.shape[-1] - 1).squeeze(1)
        else:
            text[:, t] = logits[:, -1].argmax(dim=-1)
    return text
