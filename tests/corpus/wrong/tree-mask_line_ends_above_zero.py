# wrong: tree-mask tree-zero-skipped line 11
import math

import torch


def tree_mask(back):
    parents = [at - int(step) for at, step in enumerate(back)]

    def line(token):
        return [token] + (line(parents[token]) if parents[token] > 0 else [])

    seen = torch.zeros(len(parents), len(parents), dtype=torch.bool)
    for token in range(len(parents)):
        seen[token, line(token)] = True
    return seen.to(back.device)


def tree_attention(query, key, value, back):
    drafted = query.shape[2]
    scores = query @ key.transpose(2, 3) / math.sqrt(query.shape[3])
    hidden = torch.zeros(drafted, key.shape[2], dtype=torch.bool, device=key.device)
    hidden[:, key.shape[2] - drafted :] = ~tree_mask(back)
    return scores.masked_fill(hidden, -math.inf).softmax(-1) @ value
