"""A DC motor and a PI controller with limited voltage, as a block diagram."""

import counterpoint as cp

motor = cp.Diagram("motor")
voltage, load = motor.input("voltage", unit="V"), motor.input("load", 0.0, unit="N m")
current, speed = motor.integrator(name="current"), motor.integrator(name="speed")
((voltage - 0.5 * current - 0.06 * speed) / 5e-3) >> current
((0.06 * current - load - 1e-4 * speed) / 1e-3) >> speed
motor.output("speed", speed, unit="rad/s")
motor.output("current", current, unit="A")

model = cp.Diagram("drive", step=1e-3)
wanted = model.step(0.1, after=150.0, name="wanted")
machine = model.superblock(motor, load=model.step(1.0, after=0.2, name="load"), name="motor")
controller = model.pid(
    wanted - machine["speed"],
    proportional=0.1,
    integral=0.5,
    limits=(-24.0, 24.0),
    anti_windup="clamping",
    name="controller",
)
controller >> machine
model.output("speed", machine["speed"], unit="rad/s")
model.output("wanted", wanted, unit="rad/s")
model.output("voltage", controller, unit="V")

result = model.run(until=2.0)
print(f"speed at the end: {result['drive.speed'].values[-1]:.2f} rad/s")
model.draw("motor-diagram.svg")
result.plot(path="motor-diagram.png")
