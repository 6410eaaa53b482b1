"""The steps of the lesson on varlen, each after its `# %%`; the last part makes the picture."""

# %% what padding costs
import torch

lengths = torch.tensor([3, 0, 4])
print(len(lengths) * int(lengths.max()) ** 2, int((lengths**2).sum()))

# %% where each sequence begins
bounds = torch.nn.functional.pad(lengths.cumsum(0), (1, 0))
print(bounds)

# %% the sequence of each place, of which the last two are empty
places = torch.arange(9)
document = torch.searchsorted(bounds[1:], places, right=True)
print(document)

# %% who sees whom
same = document[:, None] == document
seen = same & (places < bounds[-1])
print(int(same.sum()), int(seen.sum()))

# %% one slice for each sequence, and the mask is not needed
values = torch.arange(9.0)
means = torch.zeros(9)
for start, end in zip(bounds[:-1].tolist(), bounds[1:].tolist()):
    means[start:end] = values[start:end].mean()
print(means.tolist())

# %% picture
picture = seen.double()
rows = [f"query {i}" for i in range(9)]
columns = [f"key {i}" for i in range(9)]
