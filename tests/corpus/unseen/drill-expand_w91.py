import torch


class Heads:
    """Hands one set of keys to many heads."""

    def __init__(self, key, heads):
        self.key, self.heads = key, heads

    @property
    def shared(self):
        b, n, d = self.key.shape
        return self.key.view(b, 1, n, d).expand(b, self.heads, n, d)

    def without(self, head):
        own = Heads(self.key.clone(), self.heads).shared
        own.select(1, head).zero_()
        return own


def share_keys(key, heads):
    return Heads(key, heads).shared


def silence_head(key, heads, head):
    return Heads(key, heads).without(head)


def repeat_kv(key, repeats):
    return torch.stack((key,) * repeats, dim=2).flatten(1, 2)


def add_slopes(scores, slopes):
    return scores + slopes.reshape(-1, 1, 1)


def distances(positions):
    return torch.sub(positions[None], positions[..., None])
