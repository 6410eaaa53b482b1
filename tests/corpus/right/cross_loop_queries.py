# right: cross remarks: returns-tuple, fill-overflows-half
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_size, num_attention_heads, dropout_prob=0.1):
        super().__init__()
        self.heads = num_attention_heads
        self.size = hidden_size // num_attention_heads
        self.query_net = nn.Linear(hidden_size, hidden_size)
        self.key_net = nn.Linear(hidden_size, hidden_size)
        self.value_net = nn.Linear(hidden_size, hidden_size)
        self.final = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout_prob)

    def forward(self, query, key, value, mask=None):
        batch = query.size(0)
        k = self.key_net(key).view(batch, -1, self.heads, self.size)
        v = self.value_net(value).view(batch, -1, self.heads, self.size)
        outputs, maps = [], []
        for position in range(query.size(1)):
            q = self.query_net(query[:, position, :]).view(batch, 1, self.heads, self.size)
            score = (q * k).sum(dim=3) / self.size ** 0.5            # (batch, keys, heads)
            if mask is not None:
                score = score.masked_fill(mask[:, position, :, None] == 0, -1e12)
            prob = torch.softmax(score, dim=1)
            maps.append(prob)
            mixed = (self.dropout(prob).unsqueeze(3) * v).sum(dim=1)  # (batch, heads, size)
            outputs.append(mixed.reshape(batch, self.heads * self.size))
        return self.final(torch.stack(outputs, dim=1)), torch.stack(maps, dim=1)
