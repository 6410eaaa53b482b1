import torch


def _per_head(vector):
    """(heads,) -> (heads, 1, 1)"""
    return vector.view(-1, 1, 1)


share_keys = lambda key, heads: key[:, None].expand(key.size(0), heads, *key.shape[1:])  # noqa: E731


def silence_head(key, heads, head):
    silent = torch.arange(heads, device=key.device) == head
    return torch.where(_per_head(silent), torch.zeros_like(key)[:, None], key[:, None])


def repeat_kv(key, repeats):
    if repeats == 1:
        return key
    grouped = key.unsqueeze(2).expand(-1, -1, repeats, -1, -1)
    return grouped.flatten(1, 2)  # this is where the copy is made


add_slopes = lambda scores, slopes: torch.add(scores, _per_head(slopes))  # noqa: E731


def distances(positions):
    column, row = torch.meshgrid(positions, positions, indexing="xy")
    return column - row
