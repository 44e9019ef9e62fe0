"""A blade from a table of mass and stiffness, and its natural frequencies."""

import numpy as np

from counterpoint.multibody import Mechanism
from counterpoint.multibody.library import awt27
from counterpoint.multibody.modelling.table_beams import beam_from_table

data = awt27()
for segments in (4, 8, 12):
    blade = Mechanism("blade", gravity=(0, 0, 0))
    beam_from_table(blade, "beam", data.blade, start=(0, 0, 0), along=(0, 0, 1), first_axis=(1, 0, 0),
                    segments=segments, base="ground", tip_mass=data.tip_mass)  # fmt: skip
    print(segments, "segments:", np.round(blade.modes().frequencies[:3], 2), "Hz; finite elements: 2.46, 6.95, 8.16")
