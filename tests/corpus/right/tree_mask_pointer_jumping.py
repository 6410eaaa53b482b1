# right: tree-mask
import torch


def tree_mask(steps_back):
    T = steps_back.size(0)
    here = torch.arange(T, device=steps_back.device)
    out = torch.zeros(T, T + 1, dtype=torch.bool, device=steps_back.device)
    # the last column collects whoever has left the tree
    nxt = torch.cat([torch.where(here >= steps_back, here - steps_back, T), torch.tensor([T], device=here.device)])
    at = here.clone()
    for _ in range(T):
        out[here, at] = True
        at = nxt[at]
    return out[:, :T]


def tree_attention(query, key, value, steps_back):
    b, h, t, d = query.shape
    q, k, v = (x.flatten(0, 1) for x in (query, key, value))
    s = torch.bmm(q, k.transpose(1, 2)) * (1.0 / d ** 0.5)
    s[:, :, -t:].masked_fill_(~tree_mask(steps_back), float("-inf"))
    return torch.bmm(s.softmax(2), v).unflatten(0, (b, h))
