"""Shared by the scripts of this folder: processes that take turns, their peak memory, and one-line errors."""

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys

MEBIBYTE = 2**20


class Parser(argparse.ArgumentParser):
    """Reports a wrong flag in one line on standard error, as `edgewise` does."""

    def error(self, message):
        fail(message, 2)


def fail(message, code=1):
    print(f"{os.path.basename(sys.argv[0])}: {message}", file=sys.stderr)
    sys.exit(code)


def integer(least):
    """The type of a flag such as `--epochs 50`."""

    def read(text):
        if not text.isdigit() or int(text) < least:
            raise argparse.ArgumentTypeError(f"expected a whole number of {least} or more, got {text}")
        return int(text)

    return read


def list_of(convert, least=1, most=float("inf")):
    """The type of a flag such as `--threads 1,2`."""

    def read(text):
        try:
            values = [convert(part) for part in text.split(",")]
        except ValueError:
            values = []
        if not values or not all(least <= value <= most for value in values):
            bounds = f"of {least} or more" if most == float("inf") else f"from {least} to {most}"
            raise argparse.ArgumentTypeError(f"expected numbers {bounds}, separated by commas, got {text}")
        return values

    return read


def require(*packages):
    requirements = os.path.join(os.path.dirname(__file__), "requirements.txt")
    for package in packages:
        if importlib.util.find_spec(package) is None:
            fail(f"the package {package} is missing: pip install -r {requirements}")


def require_program(path, flag):
    if shutil.which(path) is None:
        fail(f"{path}: no such program; build Edgewise, and name the program with {flag}")


def count(number, noun):
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


class PeakMemory:
    """How far the resident memory of this process rises above its initial size, measured as in Edgewise; Linux only."""

    def __init__(self):
        import ctypes

        ctypes.CDLL(None).malloc_trim(0)
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
        self.start = self.read("VmRSS")

    @staticmethod
    def read(name):
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith(name + ":"))

    def bytes(self):
        return max(0, self.read("VmHWM") - self.start)


def run(command):
    """Runs a program that must succeed; returns its standard output."""
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode == 0:
        return result.stdout
    said = result.stderr.strip().splitlines()
    fail(f"'{' '.join(command)}' ended with exit code {result.returncode}" + (f": {said[-1]}" if said else ""))


class Server:
    """A process that answers each line of its standard input with a line of JSON."""

    def __init__(self, command, **environment):
        self.command = command
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, **environment})

    def ask(self, line):
        try:
            print(line, file=self.process.stdin, flush=True)
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            self.fail_after_end(self.process.wait())
        return json.loads(answer)

    def fail_after_end(self, code):
        if code > 0:  # it has reported the reason
            sys.exit(code)
        fail(f"'{' '.join(self.command)}' ended before it answered" + (f", by signal {-code}" if code < 0 else ""))

    def close(self):
        self.process.stdin.close()
        self.process.wait()
