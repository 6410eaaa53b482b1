import torch


def share_keys(key, heads):
    return key[:, None].expand(-1, heads, -1, -1)


def silence_head(key, heads, head):
    copies = torch.stack([key] * heads, dim=0)  # (heads, batch, length, head_dim)
    copies = copies.transpose(0, 1).contiguous()
    which = torch.tensor([head], device=key.device)
    return copies.index_fill(2, which, 0)


def repeat_kv(key, repeats):
    return key.repeat_interleave(repeats, dim=1)


def add_slopes(scores, slopes):
    return scores + slopes.view(-1, 1, 1)


def distances(positions):
    return positions.unsqueeze(0) - positions.unsqueeze(1)
