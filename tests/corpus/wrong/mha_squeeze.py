# wrong: mha batch-fixed line 25
import torch
import torch.nn as nn


class MultiHead(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        head_dim = hidden_dim // num_heads
        self.scale = head_dim ** -0.5
        self.heads = nn.ModuleList(
            nn.ModuleDict({n: nn.Linear(hidden_dim, head_dim) for n in "qkv"}) for _ in range(num_heads)
        )
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        pieces = []
        for i, head in enumerate(self.heads):
            s = head["q"](x) @ head["k"](x).transpose(1, 2) * self.scale
            if attention_mask is not None:
                m = attention_mask[:, i] if attention_mask.size(1) > 1 else attention_mask[:, 0]
                s = s.masked_fill(m == 0, float("-inf"))
            pieces.append(self.drop(s.softmax(-1)) @ head["v"](x))
        return self.out(torch.cat(pieces, dim=-1)).squeeze(0)
