"""Ids and keys."""

import uuid

from hypothesis import given
from hypothesis import strategies as st

from vidbench.contract.ids import canonical, digest, fresh_id, stable_id

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda children: st.lists(children) | st.dictionaries(st.text(), children),
    max_leaves=8,
)


def test_stable_ids_follow_from_their_parts():
    """The same parts give the same UUIDv5, others another."""
    assert stable_id("run", "a", 0) == stable_id("run", "a", 0)
    assert stable_id("run", "a", 0) != stable_id("run", "a", 1)
    assert uuid.UUID(stable_id("x")).version == 5


def test_fresh_ids_are_unique_and_in_order_of_time():
    """UUIDv7 with the right version and variant, sortable by the millisecond."""
    ids = [fresh_id() for _ in range(1000)]

    assert len(set(ids)) == 1000
    assert {uuid.UUID(one).version for one in ids} == {7}
    assert {uuid.UUID(one).variant for one in ids} == {uuid.RFC_4122}
    stamps = [uuid.UUID(one).int >> 80 for one in ids]
    assert stamps == sorted(stamps)


@given(st.dictionaries(st.text(), JSON))
def test_the_order_of_keys_does_not_matter(data):
    """Equal mappings have equal canonical text and digest."""
    turned = dict(reversed(data.items()))

    assert canonical(turned) == canonical(data)
    assert digest(turned) == digest(data)
