"""expand / repeat. I think of it as pandas: reindex vs. copy."""
import torch


def share_keys(key, heads):
    b, n, d = key.shape
    return torch.broadcast_to(key[:, None, ...], (b, heads, n, d))


def silence_head(key, heads, head):
    frames = [torch.zeros_like(key) if i == head else key for i in range(heads)]
    return torch.stack(frames, axis=1)


def repeat_kv(key, repeats):
    # like df.loc[df.index.repeat(n)]: 0 0 1 1 2 2
    kv = key.shape[1]
    idx = torch.arange(kv * repeats, device=key.device) // repeats
    return key.index_select(1, idx)


def add_slopes(scores, slopes):
    return scores + slopes[..., None, None]


def distances(positions):
    # np.subtract.outer, turned round
    cols = positions[None, :]
    rows = positions[:, None]
    return cols - rows


if __name__ == "__main__":
    print(distances(torch.tensor([3, 4, 5])))
    k = torch.tensor([0.0, 1.0, 2.0]).reshape(1, 3, 1, 1)
    print(repeat_kv(k, 2).flatten())
