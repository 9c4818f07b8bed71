import edgewise

model = edgewise.train(edges="friends.csv", nodes="people.csv", label="buys", directed=True)
print(model.metrics["test"]["accuracy"])
print(model.runs[0]["choice"]["reason"])
model.save("model.safetensors")

loaded = edgewise.load("model.safetensors")  # or a file from edgewise train --out
predictions = loaded.predict(edges="friends.csv", nodes="people.csv")
print(predictions.labels, predictions.names[0], predictions.predicted[0], predictions.values[0])
print(model.evaluate()["classes"]["yes"])  # on the test part
