"""The steps of the lesson on drill-expand, each after its `# %%`; the last part makes the picture."""

# %% one row, shown three times
import torch

row = torch.tensor([[1, 2]])
shown = row.expand(3, 2)
print(shown.tolist(), shown.stride())

# %% or written three times
copies = row.repeat(3, 1)
print(copies.tolist(), copies.stride())
copies[0, 0] = 9
print(row.tolist())

# %% two orders of copies
heads = torch.tensor([7, 8])
print(heads.repeat(2).tolist(), heads.repeat_interleave(2).tolist())

# %% a new axis, then joined
print(heads[:, None].expand(2, 2).flatten().tolist())
print(heads[None, :].expand(2, 2).flatten().tolist())

# %% rows minus columns
places = torch.arange(4)
print(places[None, :] - places[:, None])

# %% picture
picture = places[None, :] - places[:, None]
rows = [f"query {i}" for i in range(4)]
columns = [f"key {i}" for i in range(4)]
