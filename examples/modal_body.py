"""A crane mast that bends in its first mode, on a vehicle that brakes: static deflection and swing."""

import numpy as np

from counterpoint.multibody import Mechanism, Mode

STIFFNESS, MASS, BRAKING = 4000.0, 10.0, 3.0  # N/m at the tip, kg at the tip, m/s²

model = Mechanism("crane", gravity=(0, 0, 0))
model.point("foot", (0, 0, 0))
model.point("tip", (0, 0, 5))
bending = Mode("sway", {"tip": (1, 0, 0)}, STIFFNESS, damping=40.0, rotations={"tip": (0, 0.3, 0)})
model.modal_body("mast", points=["foot", "tip"], modes=[bending], mass=50.0, inertia=(100, 100, 5))
model.point_mass("tip", MASS)
model.joint("rail", "prismatic", "ground", "mast", at="foot", axis=(1, 0, 0))
model.displacement("way", "foot", along=(1, 0, 0))
model.guide("way", [0.0, 10.0, -0.5 * BRAKING])
model.angle("tilt", "ground", "mast:tip", axis=(0, 1, 0))
model.output("sway", "mast_sway")
model.output("tilt", "tilt")

result = model.run(until=6.0, step=5e-3)
sway = float(result["crane.sway"].at(6.0))
print(f"sway {1e3 * sway:.2f} mm; mass times deceleration over stiffness {1e3 * MASS * BRAKING / STIFFNESS:.2f} mm")
print(f"the frame of the tip leans forward by {np.degrees(float(result['crane.tilt'].at(6.0))):.3f} degrees")
