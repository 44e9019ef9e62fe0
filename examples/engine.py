"""A four-cylinder engine with valve events every half turn; its speed controller runs at each valve event."""

import math

import matplotlib.pyplot as plt
import numpy as np

import counterpoint as cp
from counterpoint.diagram import library

RPM = math.pi / 30  # rad/s

model = cp.Diagram("engine", publish_events=True)
target = model.step(time=1.0, before=2000 * RPM, after=3000 * RPM)
load = model.step(time=2.5, before=25.0, after=20.0)
engine = model.superblock(library.controlled_engine(), target=target, load=load, name="engine")
for port in ("rpm", "torque", "pressure", "throttle", "half_turns"):
    model.output(port, engine[port])

result = model.run(until=4.0, step=0.005)
count = int(result["engine.half_turns"].values[-1])
print(f"{count} valve events, {float(result['engine.rpm'].values[-1]):.1f} rpm at the end")

figure, axes = plt.subplots(2, 2, figsize=(9, 5), sharex="col", layout="constrained")
shown = {"rpm": "speed, rpm", "throttle": "throttle, deg", "torque": "torque, N m", "pressure": "pressure, bar"}
for axis, (port, label) in zip(axes.T.flat, shown.items(), strict=True):
    signal = result[f"engine.{port}"]
    jumps = port in {"torque", "throttle"}
    axis.plot(signal.time, signal.values, linewidth=1, drawstyle="steps-post" if jumps else "default")
    axis.set_ylabel(label)
valves = result["engine.half_turns"]
events = valves.time[1:][np.diff(np.ravel(valves.values)) > 0]
for axis in axes[:, 1]:
    axis.set_xlim(0.98, 1.12)
    for time in events[(events > 0.98) & (events < 1.12)]:
        axis.axvline(time, color="0.8", linewidth=0.8, zorder=0)
for axis in axes[1]:
    axis.set_xlabel("time, s")
figure.savefig("engine.png", dpi=110)
