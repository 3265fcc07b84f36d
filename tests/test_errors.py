"""The family of errors."""

import pickle

import pytest

from vidbench import errors


def family(kind=errors.VidbenchError):
    """Every error class."""
    return [kind, *(member for child in kind.__subclasses__() for member in family(child))]


@pytest.mark.parametrize("kind", family(), ids=lambda kind: kind.__name__)
def test_an_error_crosses_process_borders(kind):
    """Pickled or named, it comes back as the same class with the same facts."""
    error = kind("a.mp4 is no video", hint="Give a video.", field="path", file="a.mp4")
    copy = pickle.loads(pickle.dumps(error))

    assert type(copy) is kind
    assert vars(copy) == vars(error)
    if kind.__module__ == "vidbench.errors":
        assert errors.by_name(kind.__name__) is kind
        assert kind.__name__ in (errors.__doc__ or "")


def test_the_message_ends_with_the_hint():
    """One line that says what is wrong and what to do."""
    assert str(errors.NotFound("There is no b.mp4.", hint="Add it.")) == "There is no b.mp4. Add it."


def test_a_missing_library_names_the_command():
    """The remedy can be copied."""
    assert "pip install 'vidbench[speech]'" in str(errors.MissingExtra.of("faster-whisper", "speech"))
