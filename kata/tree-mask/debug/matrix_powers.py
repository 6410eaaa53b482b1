import torch
import torch.nn.functional as F


def tree_mask(back):
    count = back.numel()
    token = torch.arange(count, device=back.device)
    parent = token - back
    edges = (parent[:, None] == token[None, :]).float()
    reach = torch.eye(count, device=back.device)
    step = edges
    for _ in range(count):
        reach = reach + step
        step = (step @ edges).clamp(max=1)
    return reach > 0


def tree_attention(query, key, value, back):
    prefix = key.shape[2] - query.shape[2]
    mask = F.pad(tree_mask(back), (prefix, 0), value=True)
    att = query @ key.mT * query.shape[3] ** -0.5
    att = att.masked_fill(mask == 0, torch.finfo(att.dtype).min)
    att = F.softmax(att, dim=-1)
    return att @ value
