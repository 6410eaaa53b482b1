"""The steps of the lesson on gqa-rope, each after its `# %%`; the last part makes the picture."""

# %% where the new tokens stand
import torch

cached, new = 4, 2
print(torch.arange(new).tolist())
print(torch.arange(cached, cached + new).tolist())

# %% what a restart does to distances
keys = list(range(4))
print([4 - n for n in keys])
print([0 - n for n in keys])

# %% a shift of everything changes nothing
torch.manual_seed(0)
query, key = torch.randn(2, 2, dtype=torch.complex64)
turns = torch.exp(1j * torch.tensor([1.0, 0.1]))


def score(m, n):
    product = query * turns**m * (key * turns**n).conj()
    return round(product.sum().real.item(), 3)


print(score(4, 1) == score(104, 101), score(4, 1) == score(0, 1))

# %% rotated once, whatever the group
heads, kv_heads = 6, 2
print([f"q{h} k{h // (heads // kv_heads)}" for h in range(heads)])
before = torch.tensor([3.0, 5.0]).repeat_interleave(3) * 2
after = (torch.tensor([3.0, 5.0]) * 2).repeat_interleave(3)
print(torch.equal(before, after))

# %% picture
picture = [[max(4 + i - n, 0) for n in range(6)] for i in range(2)]
rows = ("token 4", "token 5")
columns = [f"key {n}" for n in range(6)]
