"""The four-bar of the benchmark `multibody` in Exudyn, as points with distance constraints.

The fastest of the ways that were tried: rods as generic second-order objects on points,
generalised-α with modified Newton on a sparse matrix whose pattern is analysed once.
"""

import contextlib
import io
import itertools
import sys

import numpy as np

from benchmarks.four_bar import GRAVITY, STEP

sys.exudynFast = True  # type: ignore[attr-defined]  # the build without range checks; read on import

with contextlib.redirect_stdout(io.StringIO()):  # it says which build it is
    import exudyn
    from exudyn import itemInterface as items


class FourBar:
    """Points B0 ... BL; half a rod's weight acts on each of its ends."""

    def __init__(self, loops: int) -> None:
        self._container = exudyn.SystemContainer()  # owns the system
        self._system = self._container.AddSystem()
        add = self._system
        tips = [
            add.AddNode(items.NodePoint2D(referenceCoordinates=[k, 1.0], initialVelocities=[1.0, 0.0]))
            for k in range(loops + 1)
        ]
        feet = [add.AddNode(items.NodePointGround(referenceCoordinates=[k, 0.0, 0.0])) for k in range(loops + 1)]
        half_weight = [0.0, -GRAVITY / 2]
        link_mass = np.kron(np.array([[2.0, 1.0], [1.0, 2.0]]) / 6, np.eye(2))
        for tip in tips:
            crank = items.ObjectGenericODE2(nodeNumbers=[tip], massMatrix=np.eye(2) / 3, forceVector=half_weight)
            add.AddObject(crank)
        for pair in itertools.pairwise(tips):
            link = items.ObjectGenericODE2(nodeNumbers=list(pair), massMatrix=link_mass, forceVector=half_weight * 2)
            add.AddObject(link)
        at_tip, at_foot = (
            [add.AddMarker(items.MarkerNodePosition(nodeNumber=node)) for node in nodes] for nodes in (tips, feet)
        )
        for pair in [*zip(at_foot, at_tip, strict=True), *itertools.pairwise(at_tip)]:
            add.AddObject(items.ObjectConnectorDistance(markerNumbers=list(pair), distance=1.0))
        position = exudyn.OutputVariableType.Position
        self._sensor = add.AddSensor(
            items.SensorNode(nodeNumber=tips[0], outputVariableType=position, storeInternal=True)
        )
        self._system.Assemble()

    def run(self, steps: int) -> None:
        settings = exudyn.SimulationSettings()
        settings.solution.file.write = False
        settings.solution.sensors.writePeriod = 1.0
        settings.linearSolver.solverType = exudyn.LinearSolverType.EigenSparse
        settings.linearSolver.reuseAnalyzedPattern = True
        integration = settings.timeIntegration
        integration.verboseMode = 0
        integration.numberOfSteps = steps
        integration.endTime = steps * STEP
        integration.generalizedAlpha.spectralRadius = 0.9
        integration.newton.useModifiedNewton = True
        integration.newton.relativeTolerance = 1e-6
        self._system.SolveDynamic(settings)

    def each_second(self, seconds: int) -> list[tuple[float, float]]:
        # In one run: a second call of the solver would start its integrator anew.
        self.run(round(seconds / STEP))
        stored = self._system.GetSensorStoredData(self._sensor)
        return [(float(x), float(y)) for _, x, y, _ in stored[1:]]
