import math

import torch


def tree_mask(back):
    n = back.shape[0]
    parent = torch.arange(n, device=back.device) - back
    # one hop: myself or my parent
    hop = torch.eye(n, dtype=torch.bool, device=back.device)
    has_parent = (parent >= 0).nonzero()[:, 0]
    hop[has_parent, parent[has_parent]] = True
    # square it until the longest chain is covered
    for _ in range(math.ceil(math.log(n))):
        hop = hop.float() @ hop.float() > 0
    return hop


def tree_attention(query, key, value, back):
    drafted, d = query.shape[-2:]
    prefix = key.shape[-2] - drafted
    sees = torch.cat([query.new_ones(drafted, prefix).bool(), tree_mask(back)], dim=1)
    s = (query @ key.transpose(-1, -2)) / math.sqrt(d)
    s = s.masked_fill(~sees, -torch.inf)
    return torch.softmax(s, -1) @ value
