"""Measures `edgewise serve`: requests a second, and how long one takes, with one client and with several.

Usage: serve.py EDGEWISE MODEL REQUESTS [FLAG ...]

REQUESTS is a file with a request a line, which each client sends in turn for some seconds; FLAGs go to the server.
"""

import argparse
import itertools
import multiprocessing
import pathlib
import socket
import subprocess
import tempfile
import time

SECONDS = 5


def client(path, requests, start, results):
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    answers = connection.makefile("rb")
    times = []
    start.wait()
    end = time.perf_counter() + SECONDS
    for request in itertools.cycle(requests):
        before = time.perf_counter()
        connection.sendall(request)
        answer = answers.readline()
        times.append(time.perf_counter() - before)
        if answer.startswith(b'{"error"'):
            raise SystemExit(answer.decode())
        if before > end:
            break
    results.put(times)


def measure(path, requests, clients):
    start, results = multiprocessing.Barrier(clients), multiprocessing.Queue()
    processes = [
        multiprocessing.Process(target=client, args=(path, requests[i::clients], start, results))
        for i in range(clients)
    ]
    for process in processes:
        process.start()
    times = sorted(itertools.chain.from_iterable(results.get() for _ in processes))
    for process in processes:
        process.join()
    at = lambda share: 1000 * times[int(share * (len(times) - 1))]
    print(f"{clients:7} {len(times) / SECONDS:10.0f} {at(0.5):12.3f} {at(0.99):12.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("edgewise")
    parser.add_argument("model")
    parser.add_argument("requests", type=pathlib.Path)
    arguments, flags = parser.parse_known_args()
    requests = [line + b"\n" for line in arguments.requests.read_bytes().splitlines()]
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/socket"
        before = time.perf_counter()
        command = [arguments.edgewise, "serve", arguments.model, *flags, "--socket", path]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
            while "ready" not in server.stderr.readline():
                if server.poll() is not None:
                    raise SystemExit("the server has ended")
            print(f"ready after {time.perf_counter() - before:.1f} s")
            print("clients requests/s  median (ms)   99 % (ms)")
            for clients in (1, 8):
                measure(path, requests, clients)
            memory = pathlib.Path(f"/proc/{server.pid}/status").read_text()
            print(next(line for line in memory.splitlines() if line.startswith("VmHWM")))
            server.terminate()


if __name__ == "__main__":
    main()
