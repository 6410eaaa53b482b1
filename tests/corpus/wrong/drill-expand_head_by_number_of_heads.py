# wrong: drill-expand kv-heads-group-size line 16 (error)
import torch


def share_keys(key, heads):
    return key[:, None].expand(-1, heads, -1, -1)


def silence_head(key, heads, head):
    return torch.stack([key * (one != head) for one in range(heads)], dim=1)


def repeat_kv(key, repeats):
    many = key.shape[1]
    return torch.stack(
        [key[:, head // many] for head in range(many * repeats)],
        dim=1,
    )


def add_slopes(scores, slopes):
    return scores + slopes.view(-1, 1, 1)


def distances(positions):
    return positions[None] - positions[:, None]
