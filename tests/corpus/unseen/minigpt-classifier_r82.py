import torch
from torch import nn
from torch.nn import functional as F


class Layer(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.c_attn, self.c_proj = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.c_fc, self.c_out = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def forward(self, x):
        n, d = x.shape[-2:]
        q, k, v = self.c_attn(self.ln_1(x)).unflatten(-1, (3, self.heads, -1)).unbind(-3)
        s = torch.einsum("bihd,bjhd->bhij", q, k) / (d // self.heads) ** 0.5
        future = torch.ones(n, n, device=x.device, dtype=torch.bool).triu(1)
        w = s.masked_fill(future, torch.finfo(s.dtype).min).softmax(-1)
        x = x + self.c_proj(torch.einsum("bhij,bjhd->bihd", w, v).flatten(2))
        return x + self.c_out(F.gelu(self.c_fc(self.ln_2(x))))


class GPTClassifier(nn.Module):
    """Real tokens are moved to the front first: after that causality alone hides the padding."""

    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, num_classes):
        super().__init__()
        self.wte = nn.Embedding(vocab_size, hidden_dim)
        self.wpe = nn.Embedding(block_size, hidden_dim)
        self.h = nn.ModuleList(Layer(hidden_dim, num_heads) for _ in range(num_layers))
        self.ln_f = nn.LayerNorm(hidden_dim)
        self.head = nn.Linear(hidden_dim, num_classes)

    def forward(self, tokens, mask):
        real = mask != 0
        front = torch.argsort((~real).to(torch.uint8), dim=1, stable=True)
        counts = real.sum(1, keepdim=True)
        packed = tokens.gather(1, front)
        places = torch.arange(tokens.size(1), device=tokens.device)
        x = self.wte(packed) + self.wpe(places)
        for layer in self.h:
            x = layer(x)
        x = self.ln_f(x)
        inside = (places < counts).unsqueeze(-1)
        mean = x.where(inside, 0.0).sum(1) / counts.to(x.dtype)
        return self.head(mean)
