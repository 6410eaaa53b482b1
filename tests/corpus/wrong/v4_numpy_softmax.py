# wrong: v4 detached line 17
import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.lin_q = nn.Linear(hidden_dim, hidden_dim)
        self.lin_k = nn.Linear(hidden_dim, hidden_dim)
        self.lin_v = nn.Linear(hidden_dim, hidden_dim)
        self.lin_o = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = self.lin_q(x), self.lin_k(x), self.lin_v(x)
        scores = torch.tensor((q @ k.mT / q.shape[-1] ** 0.5).tolist(), dtype=x.dtype, device=x.device)
        if attention_mask is not None:
            scores[attention_mask == 0] = float("-inf")
        return self.lin_o(self.dropout(scores.softmax(-1)) @ v)
