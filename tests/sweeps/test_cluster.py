import os
import signal

import numpy as np
import pytest

import counterpoint as cp

VARY = {"fast.x0[0]": cp.sweeps.span(10.0, 12.0, 60)}


def test_a_dask_cluster_finds_the_same_bits_and_killed_workers_lose_one_point(
    dask_cluster, two_mass, fragile, tmp_path
):
    """One test, for starting the processes takes most of its time."""
    address, workers = dask_cluster
    given = {"measures": ["last(fast.x)", "steps"], "until": 5.0}
    here = cp.sweep(two_mass, VARY, **given, workers=1).table
    there = cp.sweep(two_mass, VARY, **given, cluster=address, out=tmp_path / "out").table
    np.testing.assert_array_equal(here["last(fast.x)"], there["last(fast.x)"])
    assert there["status"].tolist() == ["done"] * 60

    # A model that kills its process: the Dask worker beside it survives, the other points are done.
    acts = ["nothing", "die", "print", "raise"]
    found = cp.sweep(fragile, {"model.act": acts}, {"y": "last(model.y)"}, cluster=address).table
    assert found["status"].tolist() == ["done", "killed", "done", "failed"]
    assert all(worker.poll() is None for worker in workers)

    # A worker that is killed in the middle: its points are run by the other one.
    def kill(progress):
        if progress.ended >= 10 and workers[0].poll() is None:
            os.kill(workers[0].pid, signal.SIGKILL)
            workers[0].wait()

    long = {"fast.x0[0]": cp.sweeps.span(10.0, 12.0, 200)}
    found = cp.sweep(two_mass, long, "last(fast.x)", until=50.0, cluster=address, progress=kill).table
    assert workers[0].poll() is not None
    assert found["status"].tolist() == ["done"] * 200
    assert found["point"].tolist() == list(range(200))


def test_a_scheduler_that_does_not_answer_is_told(two_mass):
    pytest.importorskip("distributed", reason="needs the extra sweep")
    from counterpoint.sweeps import cluster

    with pytest.raises(cp.PeerLost, match="no scheduler answers"):
        cluster.Cluster(None, "tcp://127.0.0.1:9", 1, native=True)


@pytest.mark.parametrize("address", ["nowhere", "tcp://10.0.0.5"])
def test_an_address_that_is_none_is_refused_before_anything_is_asked(two_mass, address):
    pytest.importorskip("distributed", reason="needs the extra sweep")
    with pytest.raises(cp.SetupError, match=r'expected the address of a scheduler such as "tcp://10.0.0.5:8786"'):
        cp.sweep(two_mass, {"slow.step": [0.1]}, "steps", until=1.0, cluster=address)
