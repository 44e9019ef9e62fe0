"""The CART, a wind turbine of 600 kW: its mechanism steps by 10 ms, controller and generator by 2 ms."""

import numpy as np

import counterpoint as cp
from counterpoint.diagram.library import TurbineControl, turbine_controller
from counterpoint.multibody.aerodynamics import Wind
from counterpoint.multibody.library import cart, wind_turbine
from counterpoint.multibody.library.wind_turbine import Air

RPM = np.pi / 30
pitch = np.radians(3.5)

turbine = wind_turbine(
    cart(),
    Air(Wind.following("wind")),
    rotor_speed=41.7 * RPM,
    yaw_spring=(1e8, 1e3),
    pitch="input:pitch",
    start_pitch=pitch,
    blade_segments=5,
)
control = turbine_controller(TurbineControl(running_pitch=pitch), wind=[(0.0, 13.5), (2.0, 15.0)], ramp=0.0)

system = cp.System("cart")
system.add("turbine", turbine.subsystem(), step=0.01)
system.add("control", control.subsystem(), step=0.002)
for name in ("pitch", "generator_torque", "wind"):
    system.connect(f"control.{name}", f"turbine.{name}")
for name in ("rotor_speed", "generator_speed"):
    system.connect(f"turbine.{name}", f"control.{name}")

result = system.run(until=5.0)
for t in (1.0, 2.0, 5.0):
    speed, angle, power = (float(np.ravel(result[name].at(t))[0]) for name in
                           ("turbine.rotor_speed", "control.pitch", "control.power"))  # fmt: skip
    print(f"{t:4.1f} s: {speed / RPM:6.2f} rpm, pitch {np.degrees(angle):5.2f} deg, {power / 1e3:6.1f} kW")
