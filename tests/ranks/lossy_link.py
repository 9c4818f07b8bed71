"""A link between two network namespaces that delays packets and loses some: two TUN devices and a queue between them.

Usage: lossy_link.py NAMESPACE_A ADDRESS_A NAMESPACE_B ADDRESS_B DELAY_MS LOSS_PERCENT
"""
import ctypes, fcntl, heapq, itertools, os, random, select, struct, subprocess, sys, time

TUNSETIFF, TUN_WITHOUT_HEADER = 0x400454CA, 0x1001


def device(namespace: str, address: str) -> int:
    with open(f"/var/run/netns/{namespace}") as where:
        if ctypes.CDLL(None, use_errno=True).setns(where.fileno(), 0) != 0:
            raise OSError(ctypes.get_errno(), "setns")
    tun = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH22x", b"tun0", TUN_WITHOUT_HEADER))
    for command in (f"addr add {address} dev tun0", "link set tun0 up", "link set lo up"):
        subprocess.run(["ip", *command.split()], check=True)
    return tun


ends = [device(*sys.argv[1:3]), device(*sys.argv[3:5])]
delay, loss = float(sys.argv[5]) / 1000, float(sys.argv[6]) / 100
chance, order, waiting = random.Random(7), itertools.count(), []
passed = lost = 0
print("ready", flush=True)
while True:
    now = time.monotonic()
    while waiting and waiting[0][0] <= now:
        _, _, to, packet = heapq.heappop(waiting)
        os.write(to, packet)
    left = waiting[0][0] - now if waiting else None
    for tun in select.select(ends, [], [], left)[0]:
        packet = os.read(tun, 65536)
        if chance.random() < loss:
            lost += 1
            continue
        passed += 1
        heapq.heappush(waiting, (time.monotonic() + delay, next(order), ends[1] if tun == ends[0] else ends[0], packet))
