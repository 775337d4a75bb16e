from __future__ import annotations

import numpy as np
import pytest

from knowledge.bundle import Bundle, packed
from knowledge.passages import Passage
from knowledge.search import library as library_module
from knowledge.search.library import Library, Source


def source(name: str, *texts: str, model: str = "a-model", dimensions: int = 4) -> Source:
    vectors = np.zeros((len(texts), dimensions), np.float32)
    vectors[:, -1] = 1
    bundle = packed([Passage("", text) for text in texts], vectors, model)
    return Source(name, name.title(), Bundle(bundle))


NOWHERE = {"a-model": np.array([1, 0, 0, 0], np.float32)}


def test_sources_are_searched_as_one() -> None:
    library = Library([source("rooms", "Rooms cost 120 euros."), source("pets", "Dogs may stay.")])
    (found,) = library.search("May my dog stay?", NOWHERE, 1)
    assert (found.source_id, found.source_title) == ("pets", "Pets")
    assert found.passage.text == "Dogs may stay."


def test_a_rare_word_counts_more_than_a_frequent_one() -> None:
    library = Library(
        [source("a", *[f"The hotel has room {n}" for n in range(9)]), source("b", "The sauna")]
    )
    assert library.search("the sauna", NOWHERE, 1)[0].source_id == "b"


def test_words_are_found_in_other_forms_and_scripts() -> None:
    library = Library([source("de", "Zimmerpreise im Winter"), source("hi", "कमरे का किराया")])
    assert library.search("Zimmer", NOWHERE, 1)[0].source_id == "de"
    assert library.search("किराये", NOWHERE, 1)[0].source_id == "hi"


@pytest.mark.parametrize(
    ("asked", "text", "other"),
    [
        ("你们几点开门？", "我们每天上午九点开门。", "停车场在大楼后面。"),
        ("駐車場はありますか", "お車は裏の駐車場をご利用ください。", "朝食は七時からです。"),
        ("มีที่จอดรถไหม", "ลูกค้าใช้ที่จอดรถด้านหลังได้ฟรี", "อาหารเช้าเริ่มเจ็ดโมง"),
    ],
)
def test_words_are_found_where_no_spaces_are_written(asked: str, text: str, other: str) -> None:
    library = Library([source("other", other), source("it", text)])
    best, *_ = library.search(asked, NOWHERE, 2)
    assert (best.source_id, best.passage.text) == ("it", text)
    assert best.word_score > 0


def test_a_library_without_passages_finds_nothing() -> None:
    assert Library([]).search("anything", NOWHERE) == ()


def test_nothing_is_found_where_nothing_fits() -> None:
    assert Library([source("a", "Rooms")]).search("xyz", NOWHERE) == ()


def test_each_source_is_compared_with_the_question_by_its_own_model() -> None:
    other = source("pets", "Dogs may stay.", model="other", dimensions=2)
    library = Library([source("rooms", "Rooms cost 120 euros."), other])
    assert library.models == {"a-model", "other"}
    near = {"a-model": np.eye(4, dtype=np.float32)[0], "other": np.eye(2, dtype=np.float32)[1]}
    (found,) = library.search("xyz", near, 1)
    assert (found.source_id, found.similarity) == ("pets", 1.0)


def test_a_source_whose_model_is_away_is_found_by_its_words() -> None:
    away = source("pets", "Dogs may stay.", model="away", dimensions=2)
    library = Library([source("rooms", "Rooms cost 120 euros."), away])
    (found,) = library.search("May my dog stay?", NOWHERE, 1)
    assert (found.source_id, found.similarity) == ("pets", 0.0)
    assert found.word_score > 0


@pytest.mark.parametrize("many", [50_000, 1_000], ids=["one thread", "two threads"])
def test_similarities_are_those_of_the_float16_vectors(
    many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_module, "_MANY", many)
    random = np.random.default_rng(19)
    vectors = random.standard_normal((1_100, 384), np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors[0, :3] = (0.0, -0.0, 1e-6)
    bundle = Bundle(packed([Passage("", str(row)) for row in range(1_100)], vectors, "a-model"))
    question = vectors[7].copy()
    found = Library([Source("a", "A", bundle)]).by_meaning({"a-model": question})
    np.testing.assert_allclose(found, bundle.vectors.astype(np.float32) @ question, atol=1e-6)
