"""Another program as a subsystem: it connects, describes its ports, and answers each step."""

import subprocess
import sys
from pathlib import Path

import counterpoint as cp

CLIENT = Path(__file__).parent / "link" / "heater_client.py"

with cp.listen() as place:
    host, port = place.address.removeprefix("tcp://").split(":")
    program = subprocess.Popen([sys.executable, str(CLIENT), host, port, place.token])
    heater = place.remote()

thermostat = cp.table([0.0, 300.0], [1000.0, 0.0], outputs="power", kind="hold")
with heater:
    system = cp.System("room")
    system.add("heater", heater, step=1.0)
    system.add("thermostat", thermostat)
    system.connect("thermostat.power", "heater.power")
    result = system.run(until=600.0)

program.wait()
temperature = result["heater.temperature"]
print(f"{heater}: {temperature.values.max():.1f} K at most, {temperature.values[-1]:.1f} K at the end")
