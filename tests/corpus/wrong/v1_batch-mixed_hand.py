# wrong: v1 batch-mixed line 19
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionLayer(nn.Module):
    def __init__(self, feature_size):
        super(SelfAttentionLayer, self).__init__()
        self.feature_size = feature_size

        # Linear transformations for Q, K, V from the same source
        self.fc_q = nn.Linear(feature_size, feature_size)
        self.fc_k = nn.Linear(feature_size, feature_size)
        self.fc_v = nn.Linear(feature_size, feature_size)

    def forward(self, x):
        bsz, length, width = x.shape
        tokens = x.reshape(bsz * length, width)
        queries = self.fc_q(tokens)
        keys = self.fc_k(tokens)
        values = self.fc_v(tokens)

        scores = torch.matmul(queries, keys.transpose(-2, -1))
        scores = scores / (self.feature_size ** 0.5)
        attention_weights = F.softmax(scores, dim=-1)
        output = torch.matmul(attention_weights, values)
        return output.reshape(bsz, length, width)
