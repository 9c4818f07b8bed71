"""What several tests need."""

import signal

import pytest


@pytest.fixture
def interruptible():
    """Ctrl-C is a KeyboardInterrupt, also where whoever started the tests had it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
