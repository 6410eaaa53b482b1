"""The steps of the lesson on drill-axes, each after its `# %%`; the last part makes the picture."""

# %% memory and strides
import torch

x = torch.tensor([[1, 2, 3], [4, 5, 6]])
print(x.stride(), x.flatten().tolist())

# %% a transpose moves nothing
swapped = x.transpose(0, 1)
print(swapped.tolist(), swapped.stride())
print(swapped.data_ptr() == x.data_ptr())

# %% a reshape is something else
print(x.reshape(3, 2).tolist())

# %% a list of old axes
t = torch.empty(2, 5, 3)
print(t.permute(2, 0, 1).shape)
print(t.movedim(2, 0).shape)

# %% a copy in order, or not
print(swapped.clone().stride(), swapped.contiguous().stride())

# %% picture
picture = swapped
rows, columns = ("row 0", "row 1", "row 2"), ("column 0", "column 1")
