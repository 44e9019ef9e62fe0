"""Hosts that are network namespaces of this machine, with a latency between them (Linux, root).

As a program, ``python -m benchmarks.namespaces COUNT LATENCY``, the network: a TUN device in each namespace, and every
packet is passed on after the latency (s). Unlike the queue `netem`, which many kernels lack, this needs no module. It
ends when its input ends.
"""

import ctypes
import fcntl
import heapq
import os
import select
import struct
import subprocess
import sys
import time
from pathlib import Path
from shutil import which

NET = "10.77.0."
_TUNSETIFF, _TUN_WITHOUT_HEADER = 0x400454CA, 0x1001


def possible() -> bool:
    """Whether namespaces and their devices can be made here."""
    return sys.platform == "linux" and os.geteuid() == 0 and os.path.exists("/dev/net/tun") and bool(which("ip"))


class Hosts:
    """Namespaces with a latency (s) between them, one way; a context.

    >>> Hosts(2, 1e-3).address(1)
    '10.77.0.2'
    """

    def __init__(self, count: int, latency: float) -> None:
        self._count = count
        self._latency = latency

    def address(self, host: int) -> str:
        """Return the address of a host."""
        return f"{NET}{host + 1}"

    def on(self, host: int, command: list[str]) -> list[str]:
        """Return the command that runs another one on a host."""
        return ["ip", "netns", "exec", _name(host), *command]

    def __enter__(self) -> "Hosts":
        self._network = subprocess.Popen(
            [sys.executable, "-m", __name__, str(self._count), repr(self._latency)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[1],
        )  # fmt: skip
        if self._network.stdout.readline().strip() != "ready":
            self.__exit__()
            raise RuntimeError("network namespaces cannot be made: they need root and /dev/net/tun")
        return self

    def __exit__(self, *_: object) -> None:
        self._network.stdin.close()
        self._network.wait()
        self._network.stdout.close()
        for host in range(self._count):
            subprocess.run(["ip", "netns", "delete", _name(host)], check=False, stderr=subprocess.DEVNULL)


def _name(host: int) -> str:
    return f"counterpoint{host}"


def _device(host: int) -> int:
    """Make a namespace with a device, and return the file of the device."""
    libc = ctypes.CDLL(None, use_errno=True)
    home = os.open("/proc/self/ns/net", os.O_RDONLY)
    subprocess.run(["ip", "netns", "add", _name(host)], check=True)
    there = os.open(f"/run/netns/{_name(host)}", os.O_RDONLY)
    if libc.setns(there, 0):
        raise OSError(ctypes.get_errno(), "setns")
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, _TUNSETIFF, struct.pack("16sH", b"tun0", _TUN_WITHOUT_HEADER))
    for words in (f"address add {NET}{host + 1}/24 dev tun0", "link set tun0 up", "link set lo up"):
        subprocess.run(["ip", *words.split()], check=True)
    libc.setns(home, 0)
    for file in (home, there):
        os.close(file)
    return device


def _packets(device: int) -> list[bytes]:
    found = []
    while True:
        try:
            found.append(os.read(device, 65536))
        except BlockingIOError:
            return found


def main(count: int, latency: float) -> None:
    """Pass packets on until the input ends."""
    devices = [_device(host) for host in range(count)]
    print("ready", flush=True)
    under_way: list[tuple[float, int, int, bytes]] = []
    passed = 0
    prefix = bytes(int(part) for part in NET.split(".")[:3])
    while True:
        wait = max(0.0, under_way[0][0] - time.perf_counter()) if under_way else None
        ready = select.select([*devices, 0], [], [], wait)[0]
        if 0 in ready:
            return
        for packet in (packet for device in ready for packet in _packets(device)):
            if packet[0] >> 4 == 4 and packet[16:19] == prefix and 0 < packet[19] <= count:  # IPv4, to one of ours
                passed += 1
                heapq.heappush(under_way, (time.perf_counter() + latency, passed, packet[19] - 1, packet))
        while under_way and under_way[0][0] <= time.perf_counter():
            _, _, host, packet = heapq.heappop(under_way)
            os.write(devices[host], packet)


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
