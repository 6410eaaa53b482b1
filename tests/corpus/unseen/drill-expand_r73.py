import torch


def share_keys(key, heads):
    return torch.broadcast_to(key[:, None], (key.shape[0], heads, *key.shape[1:]))


def silence_head(key, heads, head):
    keep = torch.ones(heads, dtype=key.dtype, device=key.device)
    keep[head] = 0
    return torch.einsum("bld,h->bhld", key, keep)


def repeat_kv(key, repeats):
    order = torch.arange(key.size(1) * repeats, device=key.device) // repeats
    return key.index_select(1, order)


def add_slopes(scores, slopes):
    # heads last for a moment: then (heads,) lines up by itself
    return torch.movedim(torch.movedim(scores, 1, -1) + slopes, -1, 1)


def distances(positions):
    return -torch.sub(positions.unsqueeze(-1), positions)


if __name__ == "__main__":
    print(distances(torch.tensor([3, 4, 5])))
    print(repeat_kv(torch.arange(3.0).view(1, 3, 1, 1), 2).flatten())
