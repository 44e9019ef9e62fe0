"""The chain of two Python models of the work `python-subsystem`, coupled by mosaik."""

import time
from typing import Any

import mosaik
import mosaik_api_v3

META = {
    "api_version": "3.0",
    "type": "time-based",
    "models": {"Adder": {"public": True, "params": [], "attrs": ["u", "y"]}},
}


class Adder(mosaik_api_v3.Simulator):
    """One entity whose step is one addition; it reads ``u`` when something is connected to it."""

    def __init__(self) -> None:
        super().__init__(META)
        self.y = 0.0

    def create(self, num: int, model: str, **_: Any) -> list[dict[str, Any]]:
        return [{"eid": "adder", "type": model} for _ in range(num)]

    def step(self, time: int, inputs: dict[str, Any], max_advance: int) -> int:
        if inputs:
            (value,) = inputs["adder"]["u"].values()
            self.y += value
        else:
            self.y += 1.0
        return time + 1

    def get_data(self, outputs: dict[str, list[str]]) -> dict[str, Any]:
        return {"adder": {"y": self.y}} if outputs else {}


def chain_seconds(steps: int) -> float:
    """Run source → sink for ``steps`` steps each and return the seconds spent in ``World.run``."""
    world = mosaik.World({"Adder": {"python": f"{__name__}:Adder"}}, skip_greetings=True, configure_logging=False)
    source = world.start("Adder").Adder()
    sink = world.start("Adder").Adder()
    world.connect(source, sink, ("y", "u"))
    start = time.process_time()
    world.run(until=steps, print_progress=False)
    return time.process_time() - start
