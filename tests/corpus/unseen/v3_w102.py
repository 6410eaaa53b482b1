import torch
from torch import nn
from torch.nn import functional as F


class SelfAttentionV3(nn.Module):

    def __init__(self, hidden_dim, dropout=0.1):
        super(SelfAttentionV3, self).__init__()
        self.query_layer = nn.Linear(hidden_dim, hidden_dim)
        self.key_layer = nn.Linear(hidden_dim, hidden_dim)
        self.value_layer = nn.Linear(hidden_dim, hidden_dim)
        self.output_layer = nn.Linear(hidden_dim, hidden_dim)
        self.att_dropout = nn.Dropout(p=dropout)

    def forward(self, x, attention_mask=None):
        Q = self.query_layer(x)
        K = self.key_layer(x)
        V = self.value_layer(x)

        att_weight = torch.matmul(Q, K.transpose(-1, -2)) / (Q.shape[-1] ** 0.5)
        if attention_mask:
            att_weight = att_weight.masked_fill(
                attention_mask == 0, torch.finfo(att_weight.dtype).min
            )

        att_weight = F.softmax(att_weight, dim=-1)
        att_weight = self.att_dropout(att_weight)
        return self.output_layer(torch.matmul(att_weight, V))
