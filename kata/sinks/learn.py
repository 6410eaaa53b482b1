"""The steps of the lesson on sinks, each after its `# %%`; the last part makes the picture."""

# %% three keys that do not matter
import torch

torch.set_printoptions(precision=3, sci_mode=False)
scores = torch.tensor([0.0, 0.0, 0.0])
print(scores.softmax(0))

# %% one more logit, and its share dropped
sink = torch.tensor([0.0])
row = torch.cat([scores, sink]).softmax(0)
weights = row[:-1]
print(row)
print(weights, weights.sum())

# %% a key that matters wins all the same
found = torch.tensor([0.0, 5.0, 0.0])
print(torch.cat([found, sink]).softmax(0)[:-1])

# %% the larger the sink, the more silent the head
for logit in (-5.0, 0.0, 3.0):
    print(torch.cat([scores, torch.tensor([logit])]).softmax(0)[:-1].sum())

# %% plain attention, times one number
kept = torch.sigmoid(found.logsumexp(0) - sink)
print(found.softmax(0) * kept)

# %% picture
picture = torch.stack([torch.cat([one, sink]).softmax(0) for one in (scores, found)])
rows = ("nothing", "found")
columns = ("key 0", "key 1", "key 2", "sink")
