import math
import torch


def tree_mask(back):
    n = len(back)
    i = torch.arange(n, device=back.device)
    parent = i - back
    m = (parent[:, None] == i) | torch.eye(n, dtype=torch.bool, device=back.device)
    for _ in range(int(math.log2(n))):
        m = (m.float() @ m.float()) > 0
    return m


def tree_attention(query, key, value, back):
    s = query @ key.mT / math.sqrt(query.shape[-1])
    n = len(back)
    prefix = torch.ones(n, key.shape[2] - n, dtype=torch.bool, device=s.device)
    ok = torch.cat([prefix, tree_mask(back)], 1)
    return s.masked_fill(~ok, -math.inf).softmax(-1) @ value
