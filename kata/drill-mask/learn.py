"""The steps of the lesson on drill-mask, each after its `# %%`; the last part makes the picture."""

# %% lengths against places
import torch

lengths = torch.tensor([3, 1])
real = torch.arange(4) < lengths[:, None]
print(real.int())

# %% the future
places = torch.arange(4)
past = places[None, :] <= places[:, None]
print(past.int())

# %% both at once
both = past & real[1][None, :]
print(both.int())

# %% axes of one
scores = torch.zeros(2, 3, 4, 4)
print(real[:, None, None, :].shape)
print(scores.masked_fill(~real[:, None, None, :], 1.0)[1, 0, 0].tolist())

# %% added instead of filled
bias = torch.zeros(4).masked_fill(~real[0], float("-inf"))
print(bias)
print((1 - real[0].float()) * float("-inf"))

# %% picture
picture = both.int()
rows = [f"query {i}" for i in range(4)]
columns = [f"key {i}" for i in range(4)]
