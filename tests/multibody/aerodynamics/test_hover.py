"""A rotor on a hub in hover: the inflow starts in equilibrium, and stays near it when the rotor sinks a little."""

import numpy as np
import pytest

from counterpoint.multibody import Mechanism, RotorBlade, rotor_hub
from counterpoint.multibody.aerodynamics import BladeSection, Polar, rotor

RADIUS, DENSITY = 4.8, 1.225


def hovering(inflow, sinking):
    made = Mechanism("hover", gravity=(0, 0, 0))
    made.point("hub", (0, 0, 0))
    made.body("mast", points=["hub"], mass=10.0, inertia=(1, 1, 1), centre=(0, 0, 0))
    made.joint("rail", "prismatic", "ground", "mast", at="hub", axis=(0, 0, 1))
    made.displacement("height", "hub", along=(0, 0, 1))
    made.guide("height", [0.0, -sinking])
    hub = rotor_hub(made, "main", "mast", "hub", axis=(0, 0, 1), blades=2, speed=[0, 44.4], pitch=0.15,
                    blade=RotorBlade.uniform(RADIUS, flap_inertia=230.0), flap_stiffness=1e5)  # fmt: skip
    sections = [
        BladeSection(body, r * span, -ahead, up, 0.5, 0.5, r)
        for body, (span, ahead, up) in zip(hub.blades, hub.directions, strict=True)
        for r in np.arange(1.05, RADIUS, 0.5)
    ]
    rotor(made, "air", body=hub.body, centre=(0, 0, 0), axis=(0, 0, 1), sections=sections, radius=RADIUS, blades=2,
          polars=[Polar.thin_aerofoil()], inflow=inflow, density=DENSITY)  # fmt: skip
    made.output("air", "air")
    return made.run(until=0.5, step=1e-3)["hover.air"]


@pytest.mark.parametrize("inflow", ["uniform", "pitt-peters"])
@pytest.mark.parametrize("sinking", [0.0, 0.2])
def test_the_inflow_is_that_of_momentum_theory_from_the_start(inflow, sinking):
    """Glauert: T = 2 rho A v |v - sinking|; flapping has settled at the end, not at the start."""
    air = hovering(inflow, sinking)
    for t, within in ((0.0, 0.02), (0.5, 0.02)):
        thrust, _, _, induced = air.at(t)[:4]
        exact = 0.5 * sinking + np.sqrt(0.25 * sinking**2 + thrust / (2 * DENSITY * np.pi * RADIUS**2))
        assert induced == pytest.approx(exact, rel=within)
