"""Other subsystems as a block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import SetupError
from .family import Family

if TYPE_CHECKING:
    from ..._run.precedence import Scheme
    from ...system import System
    from ..cosimulation import Cosimulation


class CosimulationBlocks(Family):
    """Other subsystems as a block."""

    def cosimulation(
        self,
        system: System,
        *signals: Any,
        host: str | None = None,
        scheme: str | Scheme = "slowest-first",
        direct: bool = True,
        time: Any = None,
        name: str | None = None,
        **named: Any,
    ) -> Cosimulation:
        """Make the diagram the master of other subsystems.

        The diagram is the host of ``system``: the outputs of the host are the inputs of the block, and the inputs of
        the host are its outputs. At every accepted time the block stores its inputs, and the others advance by the
        scheme with their own solvers and steps; at every evaluation of the diagram it returns u(t), interpolated or
        extrapolated. Reference: González et al. (2010), Table 1.

        An attempt that the diagram's solver gives up (error too large, an event inside it) is taken back: the others
        are restored. Subsystems that cannot save are advanced with accepted data only, and extrapolated where that is
        not enough.

        Parameters
        ----------
        system : System
            The others, the ports of the host (``add_host``), and the connections between them.
        *signals, **named : signals
            Entering the block, in the order of the host's outputs or by name.
        host : str, optional
            Name of the host; default: the only one of the system.
        scheme : str
            ``"slowest-first"``: the others step ahead and the diagram interpolates; ``"fastest-first"``: the diagram
            steps ahead and extrapolates.
        direct : bool
            Store the inputs before the outputs are read at the same instant. False: the outputs come first and do not
            depend on the inputs of that instant, which breaks algebraic loops through the block.
        time : signal, optional
            The time that the inputs belong to; default: that of the diagram. ``model.memory(model.clock())`` beside
            memories on all inputs makes the interface see one step late what the diagram had then (Fig. 6 of the
            reference). It must not go back.
        name : str, optional

        Examples
        --------
        >>> import counterpoint as cp
        >>> others = cp.System("others")
        >>> others.add_host("diagram", inputs=["x2"], outputs=["x1"])
        >>> others.add("slow", cp.linear([[0, 1], [-2, 0]], [[0], [1]], x0=[1, 0], outputs=["x", "v"]), step=0.1)
        >>> others.connect("diagram.x1", "slow.u", cp.lagrange(2))
        >>> others.connect("slow.x", "diagram.x2", cp.lagrange(2))
        >>> model = cp.Diagram("master")
        >>> x1 = model.integrator(initial=1.0, name="x1")
        >>> block = model.cosimulation(others, x1, name="slow_side")
        >>> x1.connect(40 * (block["x2"] - x1))
        <integrator x1>
        >>> model.output("x1", x1)
        >>> result = model.run(until=1.0, step=0.01)
        >>> len(block.result()["slow.x"].time)
        11
        """
        from ..._run.host_ports import find_host
        from ..cosimulation import Cosimulation, Coupling

        player = find_host(system, host)
        if time is not None:
            if "time" in system.subsystems[player].subsystem.output_widths:
                raise SetupError(
                    f'co-simulation block: the output "time" of host "{player}" has the name of the time port'
                )
            named = {**named, "time": time}
        coupling = Coupling(system, player, scheme, direct=direct, timed=time is not None)
        block = self.add(
            "cosimulation", signals, name=name, named_inputs=named, make=coupling.make, block_type=Cosimulation
        )
        assert isinstance(block, Cosimulation)
        block.coupling = coupling
        return block
