# right: cross
import torch
import torch.nn as nn


class CrossHead(nn.Module):
    def __init__(self, hidden_dim: int, head_dim: int, dropout: float):
        super().__init__()
        self.wk = nn.Linear(hidden_dim, head_dim)
        self.wq = nn.Linear(hidden_dim, head_dim)
        self.wv = nn.Linear(hidden_dim, head_dim)
        self.drop = nn.Dropout(dropout)
        self.head_dim = head_dim

    def forward(self, source, target, content, keep):
        # (B, Tq, d) x (B, d, Tk) -> (B, Tq, Tk)
        similarity = torch.baddbmm(
            target.new_zeros(()), self.wq(target), self.wk(source).transpose(1, 2), beta=0, alpha=self.head_dim ** -0.5
        )
        if keep is not None:
            similarity = similarity.masked_fill(keep == 0, float("-inf"))
        return self.drop(similarity.softmax(-1)) @ self.wv(content)


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1):
        super().__init__()
        self.heads = nn.ModuleList(CrossHead(hidden_dim, hidden_dim // num_heads, dropout) for _ in range(num_heads))
        self.merge = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, query, key, value, mask=None):
        per_head = (head(source=key, target=query, content=value, keep=mask) for head in self.heads)
        return self.merge(torch.cat(tuple(per_head), -1))
