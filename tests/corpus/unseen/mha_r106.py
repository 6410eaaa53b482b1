import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    # axes: n sample, i query, j key, e model width, h head, c head width
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        c, rest = divmod(hidden_dim, num_heads)
        assert rest == 0
        std = hidden_dim ** -0.5
        self.wq, self.wk, self.wv = (
            nn.Parameter(torch.randn(num_heads, c, hidden_dim) * std) for _ in range(3)
        )
        self.wo = nn.Parameter(torch.randn(num_heads, c, hidden_dim) * std)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        c = self.wq.shape[1]
        q = torch.einsum("hce,nie->nhic", self.wq, x)
        # W_k goes to the query's side: no key is made at all
        folded = torch.einsum("nhic,hce->nhie", q * c ** -0.5, self.wk)
        logits = torch.einsum("nhie,nje->nhij", folded, x)
        if attention_mask is not None:
            seen = attention_mask.to(torch.bool).expand_as(logits)
            logits = torch.where(seen, logits, logits.new_tensor(torch.finfo(logits.dtype).min))
        weights = self.dropout(torch.softmax(logits, dim=3))
        mixed = torch.einsum("nhij,nje->nhie", weights, x)
        heads = torch.einsum("nhie,hce->nhic", mixed, self.wv)
        return torch.einsum("nhic,hce->nie", heads, self.wo)
