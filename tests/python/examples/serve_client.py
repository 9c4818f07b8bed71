import json
import socket

client = socket.socket(socket.AF_UNIX)
client.connect("answers.socket")
lines = client.makefile("rw")
lines.write(json.dumps({"nodes": ["p0", "p1"]}) + "\n")
lines.flush()
print(json.loads(lines.readline())["predictions"])
