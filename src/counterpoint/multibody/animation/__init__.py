"""Moving pictures of mechanisms: one HTML file that needs nothing else, a notebook cell, or a strip of frames.

Nothing here knows mechanics: an animation is shapes with their positions at some times.

Examples
--------
>>> import numpy as np
>>> from counterpoint.multibody.animation import Animation, Shape
>>> t = np.linspace(0.0, 2.0, 201)
>>> angle = 0.5 * np.cos(np.pi * t)
>>> mass = np.stack([np.sin(angle), -np.cos(angle), 0 * t], axis=1)
>>> rod = Shape("rod", "line", np.stack([0 * mass, mass], axis=1), group="pendulum")
>>> bob = Shape("bob", "sphere", mass[:, None, :], size=(0.1,), group="pendulum")
>>> swing = Animation(t, (rod, bob), title="Pendulum", up=(0, 1, 0), planar=True, traces=("rod",))
>>> swing.save("pendulum.html")  # doctest: +SKIP
>>> swing.strip("pendulum.png", count=4)  # doctest: +SKIP
"""

from .animation import Animation
from .shape import Shape

__all__ = ["Animation", "Shape"]
