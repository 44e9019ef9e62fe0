"""Counterpoint as master: the drive of diagram_master.py and its load are two subsystems."""

import counterpoint as cp

drive = cp.Diagram("drive", solver="ode4", inner_step=0.002)
shaft = drive.integrator(name="shaft")
speed = drive.integrator(name="speed")
angle = drive.input("angle", unit="rad")
speed.connect(200.0 * (drive.step(0.5, after=1.0) - shaft) - 20.0 * speed - 30.0 * (shaft - angle))
speed >> shaft
drive.output("shaft", shaft, unit="rad")

A, B = [[0.0, 1.0], [-40.0, -0.5]], [[0.0], [40.0]]
rotor = cp.linear(A, B, x0=[0, 0], inputs="shaft", outputs=["angle", "speed"], solver="trapezoidal")

system = cp.System("positioning")
system.add("drive", drive, step=0.01)
system.add("rotor", rotor, step=0.02)
system.connect("drive.shaft", "rotor.shaft", cp.lagrange(2))
system.connect("rotor.angle", "drive.angle", cp.lagrange(3))

if __name__ == "__main__":
    result = system.run(until=1.0, scheme="slowest-first")
    print(f"shaft {result['drive.shaft'].values[-1]:.2f} rad, rotor {result['rotor.angle'].values[-1]:.2f} rad")
