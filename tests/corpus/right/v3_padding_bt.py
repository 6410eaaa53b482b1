# right: v3
import torch, torch.nn as nn, torch.nn.functional as F

class SelfAttentionV3(nn.Module):
    # attention_mask here is the tokenizer's: (batch, seq_len), 1 for real tokens, 0 for [PAD]
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.WQ, self.WK, self.WV = [nn.Linear(hidden_dim, hidden_dim) for _ in 'qkv']
        self.WO = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        Q, K, V = self.WQ(x), self.WK(x), self.WV(x)
        S = Q @ K.transpose(1, 2) / (K.shape[-1] ** 0.5)
        if attention_mask is not None:
            S = S.masked_fill(attention_mask.unsqueeze(1) == 0, -1e9)
        A = self.dropout(F.softmax(S, dim=-1))
        return self.WO(A @ V)
