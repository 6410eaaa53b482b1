# right: v3
'''One-headed attention as the meshed-memory papers write it.'''
import numpy as np
import torch
from torch import nn


class ScaledDotProductAttention(nn.Module):
    '''
    Scaled dot-product attention
    '''

    def __init__(self, d_model, d_k=None, d_v=None, dropout=.1):
        '''
        :param d_model: Output dimensionality of the model
        :param d_k: Dimensionality of queries and keys
        :param d_v: Dimensionality of values
        '''
        super(ScaledDotProductAttention, self).__init__()
        d_k = d_k or d_model
        d_v = d_v or d_model
        self.fc_q = nn.Linear(d_model, d_k)
        self.fc_k = nn.Linear(d_model, d_k)
        self.fc_v = nn.Linear(d_model, d_v)
        self.fc_o = nn.Linear(d_v, d_model)
        self.dropout = nn.Dropout(dropout)
        self.d_k = d_k
        self.init_weights()

    def init_weights(self):
        for m in self.modules():
            if isinstance(m, nn.Linear):
                nn.init.normal_(m.weight, std=0.001)
                if m.bias is not None:
                    nn.init.constant_(m.bias, 0)

    def forward(self, queries, keys, values, attention_mask=None, attention_weights=None):
        '''
        :param queries: (b_s, nq, d_model)
        :param keys: (b_s, nk, d_model)
        :param values: (b_s, nk, d_model)
        :param attention_mask: (b_s, nq, nk), nonzero where a query may look
        '''
        q = self.fc_q(queries)
        k = self.fc_k(keys).permute(0, 2, 1)
        v = self.fc_v(values)
        att = torch.matmul(q, k) / np.sqrt(self.d_k)
        if attention_weights is not None:
            att = att * attention_weights
        if attention_mask is not None:
            att = att.masked_fill(attention_mask == 0, -np.inf)
        att = torch.softmax(att, -1)
        att = self.dropout(att)
        return self.fc_o(torch.matmul(att, v))
