# attn-kata: v2
import math
import torch
import torch.nn as nn

class SelfAttentionV2(nn.Module):
    def __init__(self, hidden_dim):
        super(SelfAttentionV2, self).__init__()
        self.d = hidden_dim
        self.big = nn.Linear(hidden_dim, hidden_dim + hidden_dim + hidden_dim)

    def forward(self, x):
        d = self.d
        everything = self.big(x)
        my_query = everything[:, :, 0 : d]
        my_key = everything[:, :, d : 2 * d]
        my_value = everything[:, :, d : 2 * d]
        key_turned = my_key.permute(0, 2, 1)
        numbers = torch.matmul(my_query, key_turned)
        numbers = numbers / math.sqrt(d)
        my_weights = nn.Softmax(dim=2)(numbers)
        result = torch.matmul(my_weights, my_value)
        return result
