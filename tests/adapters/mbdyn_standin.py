"""A program that speaks MBDyn's streams as its manual describes them; nothing of Counterpoint is in it.

It integrates x'' = f - k x (m = 1 kg, k = 4 N/m) with the trapezoidal rule and sends x, v at the end of each step. As MBDyn
does, it makes or looks up its sockets in the order of its input file, waits at each, reads its drive at the beginning
of a step and takes it for the value at the end of that step.
"""

import argparse
import os
import socket
import struct
import sys
import time

K, START = 4.0, (1.0, 0.0)


def open_stream(address, create):
    local = address.startswith("/")
    made = socket.socket(socket.AF_UNIX if local else socket.AF_INET, socket.SOCK_STREAM)
    place = address if local else ("127.0.0.1", int(address))
    if not create:
        while True:
            try:
                made.connect(place)
                return made
            except OSError:
                time.sleep(0.01)
                made.close()
                made = socket.socket(made.family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.bind(place)
    made.listen(1)
    connected, _ = made.accept()
    made.close()
    if local:
        os.unlink(address)
    return connected


def advance(x, v, before, after, h):
    """One trapezoidal step; x' = v, v' = f - K x."""
    force = 0.5 * (before + after)
    new_v = (v * (1.0 - K * h * h / 4.0) + h * (force - K * x)) / (1.0 + K * h * h / 4.0)
    return x + h * (v + new_v) / 2.0, new_v


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("motion")
    parser.add_argument("drive")
    parser.add_argument("--step", type=float, default=0.01)
    parser.add_argument("--order", default="drive,motion")
    parser.add_argument("--create", default="yes")
    parser.add_argument("--send-first", default="yes")
    parser.add_argument("--receive-first", default="yes")
    parser.add_argument("--die-at", type=int, default=-1)
    parser.add_argument("--stall-at", type=int, default=-1)
    options = parser.parse_args()
    streams = {name: open_stream(getattr(options, name), options.create == "yes") for name in options.order.split(",")}

    def read():
        data = streams["drive"].recv(8, socket.MSG_WAITALL)
        if len(data) < 8:
            sys.exit(0)  # broken pipe: MBDyn stops
        return struct.unpack("<d", data)[0]

    x, v = START
    force = read() if options.receive_first == "yes" else 0.0
    if options.send_first == "yes":
        streams["motion"].sendall(struct.pack("<2d", x, v))
    for count in range(10**9):
        if count == options.die_at:
            os.abort()
        if count == options.stall_at:
            time.sleep(60)
        before, force = force, read()
        x, v = advance(x, v, before, force, options.step)
        streams["motion"].sendall(struct.pack("<2d", x, v))


if __name__ == "__main__":
    main()
