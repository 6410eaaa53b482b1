import torch
import torch.nn as nn


class SelfAttentionV4(nn.Module):
    """Weights in one (3, D, D) parameter, everything with matmul broadcasting."""

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.W = nn.Parameter(torch.empty(3, hidden_dim, hidden_dim))
        for w in self.W:
            nn.init.xavier_normal_(w.data)
        self.drop = nn.Dropout(dropout)
        self.tau = hidden_dim ** 0.5

    def bias_from(self, mask, ref):
        """(T, T) or (B, T, T) of ones and zeros -> additive bias"""
        if mask is None:
            return 0.0
        if mask.dim() == 3:
            mask = mask[0]
        bias = torch.zeros(mask.shape, dtype=ref.dtype, device=ref.device)
        return bias.masked_fill(mask == 0, torch.finfo(ref.dtype).min / 2)

    def forward(self, x, attention_mask=None):
        q, k, v = torch.matmul(x.unsqueeze(0), self.W.unsqueeze(1))
        s = torch.matmul(q, k.transpose(1, 2)) / self.tau
        s = s + self.bias_from(attention_mask, s)
        return torch.matmul(self.drop(s.softmax(dim=-1)), v)
