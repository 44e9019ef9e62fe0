"""A rotor in hover: blade elements push air down, and the air that they push answers with its inertia."""

import numpy as np

from counterpoint.multibody import Mechanism
from counterpoint.multibody.aerodynamics import BladeSection, Polar, rotor

RADIUS, SPEED, DENSITY, PITCH = 4.9, 44.4, 1.225, np.radians(9.0)

model = Mechanism("rotor", gravity=(0, 0, 0))
model.point("hub", (0, 0, 0), fixed=True)
model.vector("mast", (0, 0, 1), fixed=True)
model.point("arm", (1, 0, 0), velocity=(0, SPEED, 0))
model.body("blades", points=["hub", "arm"], vectors=["mast"], mass=100.0, inertia=(10.0, 10.0, 10.0))
model.angle("turn", "blades", axis=(0, 0, 1))
model.guide("turn", [0.0, SPEED])

up = np.array([0.0, 0.0, 1.0])
sections = []
for number in range(4):
    angle = number * np.pi / 2
    out, back = np.array([np.cos(angle), np.sin(angle), 0.0]), np.array([np.sin(angle), -np.cos(angle), 0.0])
    chord, normal = np.cos(PITCH) * back - np.sin(PITCH) * up, np.cos(PITCH) * up + np.sin(PITCH) * back
    for r in np.arange(1.1, RADIUS, 0.2):
        sections.append(BladeSection("blades", r * out, chord, normal, chord_length=0.27, span=0.2, radius=r))
rotor(model, "air", body="blades", centre=(0, 0, 0), axis=up, sections=sections, radius=RADIUS, blades=4,
      polars=[Polar.thin_aerofoil(slope=5.7, drag=0.01)], inflow="pitt-peters", density=DENSITY)  # fmt: skip
model.output("air", "air")

thrust, torque, power, inflow, *_ = model.run(until=0.5, step=0.002)["rotor.air"].values[-1]
ideal = np.sqrt(thrust / (2 * DENSITY * np.pi * RADIUS**2))
print(f"thrust {thrust / 1e3:.1f} kN, power {-power / 1e3:.0f} kW")
print(f"induced velocity {inflow:.2f} m/s; momentum theory {ideal:.2f} m/s")
