# right: tree-mask
import torch


def tree_mask(back):
    steps = back.tolist()
    rows = []
    for token in range(len(steps)):
        row = [False] * len(steps)
        while token >= 0:
            row[token] = True
            token -= steps[token]
        rows.append(row)
    return torch.tensor(rows, dtype=torch.bool, device=back.device)


def tree_attention(query, key, value, back):
    n = query.shape[2]
    q = query * query.shape[3] ** -0.5
    past = key.shape[2] - n
    to_prefix = q @ key[:, :, :past].mT
    to_tree = (q @ key[:, :, past:].mT).masked_fill(~tree_mask(back), float("-inf"))
    attn = torch.cat([to_prefix, to_tree], dim=-1).softmax(dim=-1)
    return attn[..., :past] @ value[:, :, :past] + attn[..., past:] @ value[:, :, past:]
