"""A rotor with centre springs: flap frequency against the closed form, and what delta-three does to the pitch."""

import numpy as np

from counterpoint.multibody import Mechanism, RotorBlade, rotor_hub

OMEGA = 44.4  # rad/s
BLADE = RotorBlade.uniform(4.91, flap_inertia=231.7, chord=0.27)
TURN = 2 * np.pi / OMEGA


def flapping(stiffness, delta3=0.0):
    """Return flap and pitch of a blade in vacuum that begins 1 degree above the disc, rad over s."""
    model = Mechanism("rotor", gravity=(0, 0, 0))
    model.point("hub", (0, 0, 0), fixed=True)
    hub = rotor_hub(model, "main", "ground", "hub", axis=(0, 0, 1), blade=BLADE, blades=4, speed=[0, OMEGA],
                    pitch=0.1, flap_stiffness=stiffness, delta3=delta3)  # fmt: skip
    model.initial(hub.flaps[0], np.radians(1.0))
    model.output("flap", hub.flaps[0])
    model.output("pitch", hub.pitches[0])
    result = model.run(until=4 * TURN, step=TURN / 200)
    return result["rotor.flap"], result["rotor.pitch"]


for stiffness in (0.0, 113330.0):  # a free hinge, and the Bo105
    flap, _ = flapping(stiffness)
    t, y = np.asarray(flap.time), np.ravel(flap.values)
    up = np.flatnonzero((y[:-1] < 0) & (y[1:] >= 0))
    at = t[up] - y[up] * (t[up + 1] - t[up]) / (y[up + 1] - y[up])
    exact = np.sqrt(1 + stiffness / (BLADE.flap_inertia * OMEGA**2))
    print(f"{stiffness:6.0f} N m/rad: {TURN / np.diff(at).mean():.4f} flaps a turn; closed form {exact:.4f}")

flap, pitch = flapping(113330.0, delta3=np.pi / 4)
print(f"45 degrees of delta-three: 1 degree up, pitch {np.degrees(pitch.at(0.0) - 0.1):+.2f} degrees")
