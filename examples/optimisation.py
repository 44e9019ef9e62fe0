"""Tune a controller in a loop with its plant, with Optuna (pip install optuna)."""

import optuna

import counterpoint as cp


def loop() -> cp.System:
    """Return a heated room and a digital controller that sees its temperature every 10 s."""
    system = cp.System("heating")
    room = cp.linear([[-1 / 600.0]], [[1 / 600.0]], x0=[0.0], inputs="heat", outputs="temperature", solver="ode4")
    ports = {"inputs": ["wanted", "seen"], "outputs": "heat"}
    control = cp.linear([[0.0]], [[1.0, -1.0]], [[0.005]], [[4.0, -4.0]], x0=[0.0], solver="ode1", **ports)
    system.add("room", room, step=2.0)
    system.add("control", control, step=10.0)
    system.set("control.wanted", 1.0)
    system.connect("room.temperature", "control.seen", initial=0.0)
    system.connect("control.heat", "room.heat", cp.hold())
    return system


def deviation(result: cp.Result) -> float:
    """Return the mean deviation from the wanted temperature, with a price on the largest power."""
    temperature = result["room.temperature"].values
    return float(abs(temperature - 1.0).mean() + 0.01 * result["control.heat"].values.max())


if __name__ == "__main__":
    cost = cp.function(loop, {"integral": "control.C[0][0]", "gain": "connections[1].gain"}, deviation, until=3000.0)

    def objective(trial: optuna.Trial) -> float:
        """Return the cost of one trial."""
        return cost(trial.suggest_float("integral", 1e-4, 1e-1, log=True), trial.suggest_float("gain", 0.3, 3.0))

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=1))
    study.optimize(objective, n_trials=40)
    print(f"cost {study.best_value:.3f} with {study.best_params}")
    print(f"before: {cost(0.005, 1.0):.3f}")
