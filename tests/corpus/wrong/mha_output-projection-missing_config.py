# wrong: mha output-projection-missing line 36
from dataclasses import dataclass
import torch
import torch.nn as nn


@dataclass
class AttnConfig:
    hidden_dim: int = 64
    num_heads: int = 4
    dropout: float = 0.1


class MultiHeadAttention(nn.Module):
    def __init__(self, config: AttnConfig):
        super().__init__()
        self.cfg = config
        self.head_size = config.hidden_dim // config.num_heads
        self.query = nn.Linear(config.hidden_dim, config.hidden_dim)
        self.key = nn.Linear(config.hidden_dim, config.hidden_dim)
        self.value = nn.Linear(config.hidden_dim, config.hidden_dim)
        self.dropout = nn.Dropout(config.dropout)

    def transpose_for_scores(self, t):
        return t.view(t.size()[:-1] + (self.cfg.num_heads, self.head_size)).permute(0, 2, 1, 3)

    def forward(self, x, attention_mask=None):
        q = self.transpose_for_scores(self.query(x))
        k = self.transpose_for_scores(self.key(x))
        v = self.transpose_for_scores(self.value(x))
        scores = torch.matmul(q, k.transpose(-1, -2)) / self.head_size ** 0.5
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, torch.finfo(scores.dtype).min)
        probs = self.dropout(nn.functional.softmax(scores, dim=-1))
        context = torch.matmul(probs, v).permute(0, 2, 1, 3).contiguous()
        return context.view(x.size())
