import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import counterpoint as cp
from counterpoint.federation.messages import Message, read_message, write_message

blocks = st.lists(
    st.tuples(
        st.integers(0, 2**31 - 1),
        st.tuples(st.integers(0, 5), st.integers(1, 5)).flatmap(
            lambda shape: st.lists(
                st.floats(allow_nan=False), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]
            ).map(lambda numbers: np.array(numbers, dtype=float).reshape(shape))
        ),
    ),
    max_size=4,
)


@given(digest=st.binary(min_size=16, max_size=16), number=st.integers(0, 1000), given_blocks=blocks)
def test_a_message_arrives_as_it_was_sent(digest, number, given_blocks):
    read = read_message(write_message(Message(digest, number, given_blocks)), "a")
    assert (read.digest, read.number, len(read.blocks)) == (digest, number, len(given_blocks))
    for (name, rows), (name_read, rows_read) in zip(given_blocks, read.blocks, strict=True):
        assert name == name_read
        assert np.array_equal(rows, rows_read)


@given(st.binary(max_size=200))
def test_other_bytes_are_refused_with_the_name_of_the_sender(data):
    with pytest.raises(cp.PeerLost, match='"engine" sent'):
        read_message(data, "engine")


def test_a_message_that_was_cut_is_refused():
    data = write_message(Message(bytes(16), 0, [(1, np.ones((4, 3)))]))
    with pytest.raises(cp.PeerLost, match="not a message"):
        read_message(data[:-1], "engine")
