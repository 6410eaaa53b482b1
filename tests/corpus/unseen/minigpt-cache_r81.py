import torch
from torch import nn
import torch.nn.functional as F


class CachedGPT(nn.Module):
    """The cache is one tensor, (layers, 2, batch, heads, length, head_dim)."""

    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers):
        super().__init__()
        self.block_size, self.heads, self.depth = block_size, num_heads, num_layers
        self.table = nn.Parameter(torch.randn(vocab_size, hidden_dim) * 0.02)
        self.place = nn.Embedding(block_size, hidden_dim)
        for i in range(num_layers):
            for name, layer in {
                "norm_1": nn.LayerNorm(hidden_dim), "norm_2": nn.LayerNorm(hidden_dim),
                "q": nn.Linear(hidden_dim, hidden_dim), "kv": nn.Linear(hidden_dim, 2 * hidden_dim),
                "o": nn.Linear(hidden_dim, hidden_dim), "up": nn.Linear(hidden_dim, 4 * hidden_dim),
                "down": nn.Linear(4 * hidden_dim, hidden_dim),
            }.items():
                self.add_module(f"{name}_{i}", layer)
        self.norm = nn.LayerNorm(hidden_dim)

    def part(self, name, i):
        return self.get_submodule(f"{name}_{i}")

    def forward(self, tokens, cache=None):
        (b, n), past = tokens.shape, 0 if cache is None else cache.size(4)
        where = torch.arange(past, past + n, device=tokens.device)
        x = F.embedding(tokens, self.table) + self.place(where)
        later = torch.arange(past + n, device=tokens.device) > where.unsqueeze(-1)
        kept = []
        for i in range(self.depth):
            u = self.part("norm_1", i)(x)
            q = self.part("q", i)(u).view(b, n, self.heads, -1).transpose(1, 2)
            kv = self.part("kv", i)(u).view(b, n, 2, self.heads, -1).permute(2, 0, 3, 1, 4)
            if cache is not None:
                kv = torch.cat([cache[i], kv], dim=3)
            kept.append(kv)
            s = (q @ kv[0].mT / q.shape[-1] ** 0.5).masked_fill(later, -torch.inf)
            x = x + self.part("o", i)((s.softmax(-1) @ kv[1]).transpose(1, 2).flatten(2))
            x = x + self.part("down", i)(F.gelu(self.part("up", i)(self.part("norm_2", i)(x))))
        return self.norm(x) @ self.table.T, torch.stack(kept)


@torch.inference_mode()
def generate(model, tokens, count):
    model.eval()
    pieces, cache = [tokens], None
    while len(pieces) <= count:
        logits, cache = model(pieces[-1], cache)
        pieces.append(logits[:, -1].argmax(1, keepdim=True))
    return torch.cat(pieces, dim=1)
