# wrong: minigpt-cache dropout-in-generation line 74
"""Keys and values are written into rows of zeros that have room for the whole block."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Attn(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.to_qkv = nn.Linear(dim, dim * 3)
        self.to_out = nn.Linear(dim, dim)

    def forward(self, x, room, start):
        b, n, dim = x.shape
        q, k, v = self.to_qkv(x).view(b, n, 3, self.heads, dim // self.heads).permute(2, 0, 3, 1, 4)
        end = start + n
        keys = torch.cat([room[0][:, :, :start], k, room[0][:, :, end:]], dim=2)
        values = torch.cat([room[1][:, :, :start], v, room[1][:, :, end:]], dim=2)
        sim = torch.einsum("b h i d, b h j d -> b h i j", q, keys) * (dim // self.heads) ** -0.5
        row = torch.arange(start, end, device=x.device).unsqueeze(1)
        col = torch.arange(keys.shape[2], device=x.device).unsqueeze(0)
        sim = sim.masked_fill(col > row, float("-inf"))
        out = torch.einsum("b h i j, b h j d -> b i h d", sim.softmax(dim=-1), values)
        return self.to_out(out.reshape(b, n, dim)), (keys, values)


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = Attn(dim, heads)
        self.fc1 = nn.Linear(dim, 4 * dim)
        self.fc2 = nn.Linear(4 * dim, dim)

    def forward(self, x, room, start):
        a, room = self.attn(self.ln1(x), room, start)
        x = x + a
        x = x + self.fc2(F.gelu(self.fc1(self.ln2(x))))
        return x, room


class CachedGPT(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size = block_size
        self.size = (num_heads, block_size, hidden_dim // num_heads)
        self.wte = nn.Embedding(vocab_size, hidden_dim)
        self.wpe = nn.Embedding(block_size, hidden_dim)
        self.blocks = nn.ModuleList([Block(hidden_dim, num_heads) for _ in range(num_layers)])
        self.ln_f = nn.LayerNorm(hidden_dim)

    def forward(self, tokens, cache=None):
        b, n = tokens.shape
        if cache is None:
            empty = self.wte.weight.new_zeros(b, *self.size)
            cache = (0, [(empty, empty) for _ in self.blocks])
        start, rooms = cache
        x = self.wte(tokens) + self.wpe(torch.arange(start, start + n, device=tokens.device))
        filled = []
        for block, room in zip(self.blocks, rooms):
            x, room = block(x, room, start)
            filled.append(room)
        return self.ln_f(x) @ self.wte.weight.t(), (start + n, filled)


@torch.no_grad()
def generate(model, tokens, count):
    text, cache = tokens, None
    while text.shape[1] < tokens.shape[1] + count:
        unread = text if cache is None else text[:, -1:]
        logits, cache = model(unread, cache)
        model.eval()
        text = torch.cat([text, logits[:, -1].max(dim=-1, keepdim=True).indices], dim=1)
    return text
