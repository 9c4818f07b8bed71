import edgewise

data: edgewise.DataArguments = {"edges": "friends.csv", "nodes": "people.csv", "label": "buys", "directed": True}
search = edgewise.tune(**data, models=["gcn", "gat"], epochs=100, brackets=2, log="search.json")
print(search.to_pandas().nlargest(3, "validation")[["trial", "epochs", "validation"]])
model = edgewise.train(**data, epochs=100, config=search.config)
