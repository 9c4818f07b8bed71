import edgewise

data: edgewise.DataArguments = {"edges": "friends.csv", "nodes": "people.csv", "label": "buys", "directed": True}
comparison = edgewise.compare(**data, models=["mlp", "gcn", "gat"])  # without models: all that suit the data
print(comparison.to_pandas()[["test", "test_std", "beside_best"]])
print("\n".join(comparison.verdict))
model = edgewise.train(**data, config=comparison.config)  # the best that leaves a model
