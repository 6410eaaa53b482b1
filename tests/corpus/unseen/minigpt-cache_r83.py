# GPT-2 with past_key_values as a tuple of (2, b, h, t, d) tensors, "presents" collected on the way
import torch
from torch import nn


def shape_list(x, n_head):
    b, t, c = x.shape
    return x.view(b, t, n_head, c // n_head).transpose(1, 2)


class Attention(nn.Module):
    def __init__(self, nx, n_head):
        super().__init__()
        self.n_head = n_head
        self.c_attn = nn.Linear(nx, 3 * nx)
        self.c_proj = nn.Linear(nx, nx)

    def forward(self, x, layer_past=None):
        query, key, value = (shape_list(t, self.n_head) for t in self.c_attn(x).chunk(3, dim=2))
        present = torch.stack((key, value))
        if layer_past is not None:
            present = torch.cat((layer_past, present), dim=-2)
        key, value = present
        nd, ns = query.size(-2), key.size(-2)
        w = query @ key.transpose(-2, -1) / value.size(-1) ** 0.5
        i = torch.arange(nd, device=x.device)[:, None]
        j = torch.arange(ns, device=x.device)
        w = w.masked_fill(i < j - ns + nd, -torch.inf).softmax(dim=-1)
        a = (w @ value).transpose(1, 2).flatten(2)
        return self.c_proj(a), present


class Block(nn.Module):
    def __init__(self, nx, n_head):
        super().__init__()
        self.ln_1 = nn.LayerNorm(nx)
        self.attn = Attention(nx, n_head)
        self.ln_2 = nn.LayerNorm(nx)
        self.mlp = nn.Sequential(nn.Linear(nx, 4 * nx), nn.GELU(), nn.Linear(4 * nx, nx))

    def forward(self, x, past=None):
        a, present = self.attn(self.ln_1(x), layer_past=past)
        x = x + a
        return x + self.mlp(self.ln_2(x)), present


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.wte = nn.Embedding(vocab_size, hidden_dim)
        self.wpe = nn.Parameter(torch.randn(block_size, hidden_dim) * 0.01)
        self.h = nn.ModuleList([Block(hidden_dim, num_heads) for _ in range(num_layers)])
        self.ln_f = nn.LayerNorm(hidden_dim)

    def forward(self, tokens, cache=None):
        past = [None] * len(self.h) if cache is None else cache
        past_length = 0 if cache is None else past[0].size(-2)
        x = self.wte(tokens) + self.wpe[past_length : past_length + tokens.size(-1)]
        presents = ()
        for block, layer_past in zip(self.h, past):
            x, present = block(x, layer_past)
            presents += (present,)
        return nn.functional.linear(self.ln_f(x), self.wte.weight), presents


def generate(model, tokens, count):
    was_training = model.training
    model.eval()
    output = torch.empty(tokens.size(0), tokens.size(1) + count, dtype=tokens.dtype, device=tokens.device)
    output[:, : tokens.size(1)] = tokens
    done, cache = 0, None
    with torch.no_grad():
        for n in range(tokens.size(1), output.size(1)):
            logits, cache = model(output[:, done:n], cache)
            output[:, n] = logits[:, -1, :].max(dim=-1).indices
            done = n
    model.train(was_training)
    return output
