import math
from types import SimpleNamespace

import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.heads = config.num_attention_heads
        self.query = nn.Linear(config.hidden_size, config.hidden_size)
        self.key = nn.Linear(config.hidden_size, config.hidden_size)
        self.value = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, hidden, extended_mask):
        def transpose_for_scores(x):
            return x.view(*x.shape[:2], self.heads, -1).permute(0, 2, 1, 3)

        q, k, v = map(transpose_for_scores, (self.query(hidden), self.key(hidden), self.value(hidden)))
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.size(-1))
        probs = scores.masked_fill(~extended_mask, torch.finfo(scores.dtype).min).softmax(-1)
        return (probs @ v).permute(0, 2, 1, 3).flatten(2)


class Layer(nn.Module):
    """BERT's names; the norms stand before what they stand behind in BERT."""

    def __init__(self, config):
        super().__init__()
        h = config.hidden_size
        self.attention = nn.ModuleDict({
            "LayerNorm": nn.LayerNorm(h, eps=config.layer_norm_eps),
            "self": SelfAttention(config),
            "output": nn.Linear(h, h),
        })
        self.intermediate = nn.ModuleDict({
            "LayerNorm": nn.LayerNorm(h, eps=config.layer_norm_eps), "dense": nn.Linear(h, 4 * h),
        })
        self.output = nn.ModuleDict({"dense": nn.Linear(4 * h, h)})

    def forward(self, x, m):
        att = self.attention
        x = x + att["output"](att["self"](att["LayerNorm"](x), m))
        y = self.intermediate["dense"](self.intermediate["LayerNorm"](x))
        return x + self.output["dense"](nn.functional.gelu(y))


class GPTClassifier(nn.Module):
    def __init__(self, vocab_size, block_size, hidden_dim, num_heads, num_layers, num_classes):
        super().__init__()
        config = SimpleNamespace(hidden_size=hidden_dim, num_attention_heads=num_heads, layer_norm_eps=1e-5)
        self.embeddings = nn.ModuleDict({
            "position_embeddings": nn.Embedding(block_size, hidden_dim),
            "word_embeddings": nn.Embedding(vocab_size, hidden_dim),
        })
        self.encoder = nn.ModuleDict({"layer": nn.ModuleList(Layer(config) for _ in range(num_layers))})
        self.pooler = nn.ModuleDict({"LayerNorm": nn.LayerNorm(hidden_dim, eps=config.layer_norm_eps)})
        self.score = nn.Linear(hidden_dim, num_classes)

    def forward(self, tokens, mask):
        attention_mask = mask.bool()
        position_ids = (attention_mask.cumsum(1) - 1).masked_fill(~attention_mask, 0)
        emb = self.embeddings
        x = emb["word_embeddings"](tokens) + emb["position_embeddings"](position_ids)
        t = tokens.shape[1]
        causal = torch.ones(t, t, dtype=torch.bool, device=tokens.device).tril()
        extended = attention_mask[:, None, None, :] & causal
        for layer in self.encoder["layer"]:
            x = layer(x, extended)
        x = self.pooler["LayerNorm"](x)
        total = torch.where(attention_mask[..., None], x, 0).sum(1)
        return self.score(total / attention_mask.sum(1, keepdim=True).to(total.dtype))
