"""Reading pictures."""

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from vidbench.contract.models import ModelSpec
from vidbench.errors import MediaError
from vidbench.perception.scene_text import RapidOcr


@pytest.fixture(scope="module")
def reader():
    """The library's own models."""
    spec = ModelSpec(name="rapidocr", role="scene_text", engine="rapidocr", path="", checksum="")
    reader = RapidOcr(spec, 1)
    yield reader
    reader.close()


def card(*lines):
    """A picture of 640 by 360 with white lines on blue."""
    image = Image.new("RGB", (640, 360), (20, 30, 90))
    draw = ImageDraw.Draw(image)
    for number, line in enumerate(lines):
        draw.text((60, 60 + 120 * number), line, "white", ImageFont.load_default(48))
    return np.asarray(image)[:, :, ::-1].copy()


def test_text_is_read_with_its_place(reader):
    """Lines come from top to bottom, sure of themselves, with boxes inside the picture."""
    (readings,) = reader.read([card("Wanna work", "together?")])
    assert [reading.text.replace(" ", "") for reading in readings] == ["Wannawork", "together?"]
    for reading, top in zip(readings, (60 / 360, 180 / 360), strict=True):
        assert reading.confidence > 0.9
        assert reading.box == pytest.approx((60 / 640, top, 0.5, top + 0.15), abs=0.12)


def test_files_and_arrays_are_read_alike(reader, tmp_path):
    """A picture in a file, whose name may hold any letter, reads as the same picture in memory."""
    path = tmp_path / "größe ✓.png"
    Image.fromarray(card("SHARE")[:, :, ::-1]).save(path)
    from_file, from_array = reader.read([path, card("SHARE")])
    assert from_file == from_array
    assert from_file[0].text == "SHARE"


def test_an_empty_picture_has_no_text(reader):
    """Nothing is read where nothing is written."""
    assert list(reader.read([card()])) == [()]


def test_pictures_are_read_one_by_one(reader):
    """A picture is taken only when its readings are asked for."""
    taken = []

    def pictures():
        for word in ("ONE", "TWO"):
            taken.append(word)
            yield card(word)

    stream = reader.read(pictures())
    next(stream)
    assert taken == ["ONE"]


@pytest.mark.parametrize("content", [None, b"", b"no picture"])
def test_an_unreadable_file_is_named(reader, tmp_path, content):
    """The error names the picture."""
    path = tmp_path / "sample.jpg"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(MediaError, match=r"sample\.jpg"):
        list(reader.read([path]))


def test_closing_twice_is_fine_and_reading_goes_on(reader):
    """A closed reader loads itself again."""
    reader.close()
    reader.close()
    assert next(reader.read([card("AGAIN")]))[0].text == "AGAIN"
