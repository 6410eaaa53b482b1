import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV3(nn.Module):
    """ m_ prefix: members.  Rows that may see nothing give plain Wo(0). """

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.m_dim = int(hidden_dim)
        self.m_dropProb = float(dropout)
        self.m_inWeight = nn.Parameter(torch.empty(3 * self.m_dim, self.m_dim))
        self.m_outWeight = nn.Parameter(torch.empty(self.m_dim, self.m_dim))
        for w in (self.m_inWeight, self.m_outWeight):
            nn.init.xavier_uniform_(w)

    def forward(self, x, attention_mask=None):
        n = self.m_dim
        qkv = F.linear(x, self.m_inWeight)
        q = qkv[:, :, 0 * n : 1 * n]
        k = qkv[:, :, 1 * n : 2 * n]
        v = qkv[:, :, 2 * n : 3 * n]

        score = torch.bmm(q, k.transpose(1, 2)) / (n ** 0.5)
        if attention_mask is None:
            prob = F.softmax(score, dim=2)
        else:
            allowed = attention_mask.to(torch.bool)
            score = score.masked_fill(torch.logical_not(allowed), torch.finfo(score.dtype).min)
            prob = F.softmax(score, dim=2) * allowed.to(score.dtype)

        prob = F.dropout(prob, p=self.m_dropProb, training=self.training)
        return F.linear(torch.bmm(prob, v), self.m_outWeight)
