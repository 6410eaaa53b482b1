import torch
import torch.nn as nn


class SelfAttentionV1(nn.Module):
    """My first attention :) done slowly, one query at a time, so I can see what happens"""

    def __init__(self, hidden_dim):
        super(SelfAttentionV1, self).__init__()
        self.hidden_dim = hidden_dim
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x):
        batch_size = x.size(0)
        seq_len = x.size(1)
        all_queries = self.wq(x)
        all_keys = self.wk(x)
        all_values = self.wv(x)
        results = []
        for b in range(batch_size):
            rows = []
            for i in range(seq_len):
                my_query = all_queries[b][i]
                # how much does position i like position j?
                score_list = []
                for j in range(seq_len):
                    s = torch.dot(my_query, all_keys[b][j]) / (self.hidden_dim ** 0.5)
                    score_list.append(s)
                probs = torch.softmax(torch.stack(score_list), dim=0)
                answer = torch.zeros_like(all_values[b][0])
                for j in range(seq_len):
                    answer = answer + probs[j] * all_values[b][j]
                rows.append(answer)
            results.append(torch.stack(rows))
        return torch.stack(results)
