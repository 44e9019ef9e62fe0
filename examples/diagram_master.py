"""A block diagram as master: a positioning drive with variable steps and a slow load with its own step."""

import counterpoint as cp

# The load: inertia, friction and a soft shaft, integrated with the trapezoidal rule at 20 ms.
others = cp.System("load")
others.add_host("drive", inputs=["angle"], outputs=["shaft"])
A, B = [[0.0, 1.0], [-40.0, -0.5]], [[0.0], [40.0]]
others.add(
    "rotor", cp.linear(A, B, x0=[0, 0], inputs="shaft", outputs=["angle", "speed"], solver="trapezoidal"), step=0.02
)
others.connect("drive.shaft", "rotor.shaft", cp.lagrange(2))
others.connect("rotor.angle", "drive.angle", cp.lagrange(3))

# The drive: a motor that turns the shaft against the reaction of the load.
drive = cp.Diagram("drive", solver="ode45", rtol=1e-6, atol=1e-8)
shaft = drive.integrator(name="shaft")
speed = drive.integrator(name="speed")
load = drive.cosimulation(others, shaft, name="load")
wanted = drive.step(0.5, after=1.0)
speed.connect(200.0 * (wanted - shaft) - 20.0 * speed - 30.0 * (shaft - load["angle"]))
speed >> shaft
drive.output("shaft", shaft, unit="rad")

result = drive.run(until=1.0, step=0.01)
inside = load.result()
print(f"shaft {result['drive.shaft'].values[-1]:.2f} rad, rotor {inside['rotor.angle'].values[-1]:.2f} rad")
print(f"{len(inside['drive.shaft'].time)} accepted times of the drive, {len(inside['rotor.angle'].time)} of the rotor")
