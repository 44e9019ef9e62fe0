"""The two Python models of heater.toml: a room and its thermostat."""

import math

import counterpoint as cp


class Room(cp.Subsystem):
    """A room that loses heat to the outside; exact for inputs that are constant over a step.

    Parameters
    ----------
    temperature : float
        At the start, °C.
    resistance : float
        Of the walls, K/W.
    capacity : float
        Heat capacity, J/K.
    """

    inputs = ("power", "outdoor")
    outputs = ("temperature",)
    units = {"power": "W", "outdoor": "°C", "temperature": "°C"}

    def __init__(self, temperature, resistance, capacity):
        self.first_temperature = temperature
        self.resistance = resistance
        self.capacity = capacity

    def start(self, t):
        self.temperature = self.first_temperature

    def step(self, t, t_end, u):
        power, outdoor = u(0.5 * (t + t_end))
        settled = outdoor + self.resistance * power
        decay = math.exp(-(t_end - t) / (self.resistance * self.capacity))
        self.temperature = settled + (self.temperature - settled) * decay

    def output(self, t, u):
        return self.temperature


class Thermostat(cp.Subsystem):
    """Switch a heater of ``power`` W on below ``wanted - band/2`` °C and off above ``wanted + band/2`` °C."""

    inputs = ("temperature",)
    outputs = ("power",)
    units = {"temperature": "°C", "power": "W"}
    sampled = True  # it looks at its own times: a shorter step would be another thermostat

    def __init__(self, wanted, band, power):
        self.low, self.high = wanted - band / 2, wanted + band / 2
        self.power = power

    def start(self, t):
        self.on = False

    def step(self, t, t_end, u):
        (temperature,) = u(t_end)
        if temperature < self.low:
            self.on = True
        elif temperature > self.high:
            self.on = False

    def output(self, t, u):
        return self.power if self.on else 0.0
