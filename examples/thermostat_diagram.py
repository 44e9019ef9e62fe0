"""A thermostat: a relay with hysteresis switches exactly at its limits, however long the step is."""

import math

import counterpoint as cp

model = cp.Diagram("thermostat", step=60.0)  # s
temperature = model.integrator(initial=17.0, name="temperature")
heater = model.relay(20.0 - temperature, switch_on=0.5, switch_off=-0.5, output_on=1500.0, name="heater")
outside = model.sine(2.0 * math.pi / 86400.0, amplitude=4.0, bias=2.0, name="outside")
((heater - 50.0 * (temperature - outside)) / 4e5) >> temperature
model.output("temperature", temperature, unit="°C")
model.output("heater", heater, unit="W")

result = model.run(until=6 * 3600.0)
values = result["thermostat.temperature"].values
print(f"between {values[60:].min():.2f} and {values[60:].max():.2f} °C once it is warm")
model.draw("thermostat-diagram.svg")
result.plot(path="thermostat-diagram.png")
