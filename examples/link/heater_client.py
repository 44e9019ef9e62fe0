"""A co-simulation subsystem that does not need Counterpoint: heater_client.py HOST PORT TOKEN."""

import socket
import struct
import sys

HELLO, PORTS, START, STEP, REPLY, BYE = 1, 3, 4, 6, 9, 23
stream = socket.create_connection((sys.argv[1], int(sys.argv[2]))).makefile("rwb")


def send(kind, data):
    stream.write(struct.pack("<II", len(data), kind) + data)
    stream.flush()


def receive():
    size, kind = struct.unpack("<II", stream.read(8))
    return kind, stream.read(size)


send(HELLO, f"counterpoint-link 1 {sys.argv[3]}".encode())
receive()  # welcome, or an error with the reason
send(PORTS, b"name\theater\ninput\tpower\t1\tW\noutput\ttemperature\t1\tK\n")
while (frame := receive())[0] != BYE:
    kind, numbers = frame[0], struct.unpack(f"<{len(frame[1]) // 8}d", frame[1])
    t, t_end = numbers[:2]
    if kind == START:
        temperature = 293.0
    if kind == STEP:
        temperature += (t_end - t) * (numbers[5] - 2.0 * (temperature - 293.0)) / 500.0
    send(REPLY, struct.pack("<4d", t_end, 0.0, 0.0, temperature))
