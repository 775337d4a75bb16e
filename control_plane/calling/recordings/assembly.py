"""Makes the files of a recording from its parts in the object store. Blocking: for a thread."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from os import SEEK_END
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING

from contracts.recording import part_starts_at_ms, parts_folder

if TYPE_CHECKING:
    from obstore.store import ObjectStore

    from control_plane.calling.recordings.audio_files import Stereo


class NothingStored(Exception):
    """The store has no part of this recording."""


@dataclass(frozen=True)
class Files:
    duration_ms: int
    wav_bytes: int
    ogg_bytes: int


def assemble_files(store: ObjectStore, folder: str, duration_ms: int) -> Files:
    """Make ``stereo_mix.wav`` and ``stereo_mix.ogg`` in a recording's ``folder``.

    Running it again makes the same files. They last at least ``duration_ms``.

    Raises:
        NothingStored: the store has no part of the recording.
        PartUnreadable: a part is damaged.
        obstore.exceptions.BaseError, OSError: the store or the disk failed.
    """
    import obstore

    from control_plane.calling.recordings.audio_files import with_silence, write_files

    paths = part_paths(store, folder)
    if not paths:
        raise NothingStored
    # Files without names: a process that is killed leaves nothing behind.
    with TemporaryFile() as wav, TemporaryFile() as ogg:
        pieces = with_silence(_parts(store, paths), duration_ms)
        files = Files(
            duration_ms=write_files(pieces, wav, ogg),
            wav_bytes=_size(wav),
            ogg_bytes=_size(ogg),
        )
        for name, file in (("stereo_mix.wav", wav), ("stereo_mix.ogg", ogg)):
            file.seek(0)
            obstore.put(store, folder + name, file)
    return files


def remove_parts(store: ObjectStore, folder: str) -> None:
    """Remove the parts when they are not needed any more. Running it again changes nothing."""
    _delete(store, part_paths(store, folder))


def remove_recording(store: ObjectStore, folder: str) -> None:
    """Remove the files and the parts. Running it again changes nothing."""
    _delete(store, _paths_in(store, folder))


def part_paths(store: ObjectStore, folder: str) -> list[str]:
    """The parts in the order of their start times."""
    return sorted(_paths_in(store, parts_folder(folder)), key=part_starts_at_ms)


def _paths_in(store: ObjectStore, folder: str) -> list[str]:
    import obstore

    return [each["path"] for page in obstore.list(store, folder) for each in page]


def _delete(store: ObjectStore, paths: list[str]) -> None:
    import obstore

    if paths:
        obstore.delete(store, paths)


def _size(file: IO[bytes]) -> int:
    return file.seek(0, SEEK_END)


def _parts(store: ObjectStore, paths: list[str]) -> Iterator[tuple[int, Stereo]]:
    import obstore

    from control_plane.calling.recordings.audio_files import decoded

    for path in paths:
        yield part_starts_at_ms(path), decoded(bytes(obstore.get(store, path).bytes()))
