# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files and batches, as in `keras.utils.data_utils`."""

import hashlib
import os
import pickle
import queue
import tarfile
import tempfile
import threading
import zipfile
import zlib
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional
from urllib.request import urlopen

import numpy as np

# Files


def _hash_file(fpath: Any, algorithm: str = "sha256", chunk_size: int = 65535) -> str:
    """The digest of a file in hexadecimal digits, by "sha256" (also "auto") or "md5"."""
    digest = hashlib.md5() if algorithm == "md5" else hashlib.sha256()
    with open(fpath, "rb") as file:
        while chunk := file.read(chunk_size):
            digest.update(chunk)
    return digest.hexdigest()


def validate_file(fpath: Any, file_hash: str, algorithm: str = "auto", chunk_size: int = 65535) -> bool:
    """Returns true if the digest of a file is `file_hash`; "auto" is sha256 for 64 digits, else md5."""
    if algorithm == "auto":
        algorithm = "sha256" if len(file_hash) == 64 else "md5"
    return _hash_file(fpath, algorithm, chunk_size) == file_hash.lower()


def get_file(
    fname: str, origin: str, untar: bool = False, md5_hash: Optional[str] = None, file_hash: Optional[str] = None,
    cache_subdir: str = "datasets", hash_algorithm: str = "auto", extract: bool = False, archive_format: Any = "auto",
    cache_dir: Optional[str] = None,
) -> str:  # fmt: skip
    """Returns the path of a copy of `origin`, a URL, which is made unless one with the right digest is there.

    The copy is `cache_dir`/`cache_subdir`/`fname`, by default under `~/.keras`. With `extract`, an archive (tar or zip)
    is unpacked beside it; with `untar`, `fname` is without `.tar.gz`. Raises OSError for an origin that cannot be read
    whole, and ValueError for a copy of another digest, a file that is not an archive of `archive_format`, or an archive
    with a member outside of its folder.
    """
    folder = Path(cache_dir or os.path.join("~", ".keras")).expanduser() / cache_subdir
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / fname
    archive = Path(f"{path}.tar.gz") if untar else path
    wanted = file_hash or md5_hash
    algorithm = "md5" if file_hash is None and md5_hash is not None else hash_algorithm
    is_new = not archive.exists() or (wanted is not None and not validate_file(archive, wanted, algorithm))
    if is_new:
        # Processes that copy at once have a file each, and the last one stays.
        descriptor, part = tempfile.mkstemp(prefix=f"{archive.name}.", dir=folder)
        try:
            with os.fdopen(descriptor, "wb") as copy:
                _copy(origin, copy)
            if wanted is not None and not validate_file(part, wanted, algorithm):
                raise ValueError(f"'{origin}' has another digest than {wanted}")
            os.replace(part, archive)
        finally:
            Path(part).unlink(missing_ok=True)
    if (untar and (is_new or not path.exists())) or (extract and not untar):
        try:
            _extract(archive, folder, "tar" if untar else archive_format)
        except (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise ValueError(f"'{archive}' is damaged: {error}") from error
    return str(path)


def _copy(origin: str, copy: Any) -> None:
    """Reads all of a URL. Raises OSError if fewer bytes come than it says."""
    count = 0
    with urlopen(origin, timeout=60) as source:
        wanted = source.headers.get("Content-Length")
        while chunk := source.read(1 << 16):
            copy.write(chunk)
            count += len(chunk)
    if wanted is not None and count != int(wanted):
        raise OSError(f"'{origin}' ended after {count} of {wanted} bytes")


def _extract(archive: Path, folder: Path, archive_format: Any) -> None:
    """Unpacks an archive. Raises ValueError for a file that is not one of these formats."""
    if archive_format is None:
        return
    listed = ["tar", "zip"] if archive_format == "auto" else [archive_format] if isinstance(
        archive_format, str) else list(archive_format)  # fmt: skip
    for kind in listed:
        if kind not in ("tar", "zip"):
            raise ValueError(f"expected an archive_format of 'auto', 'tar' or 'zip', found {kind!r}")
        if kind == "tar" and tarfile.is_tarfile(archive):
            with tarfile.open(archive) as tar:
                _check_members(folder, [member.name for member in tar.getmembers()])
                if any(not (member.isfile() or member.isdir()) for member in tar.getmembers()):
                    raise ValueError(f"'{archive}' has members that are neither files nor folders")
                # Modes and owners of a stranger stay out, where this Python can do that.
                safe: Dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
                _unpack(folder, lambda part: tar.extractall(part, **safe))
            return
        if kind == "zip" and zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as packed:
                _check_members(folder, packed.namelist())
                _unpack(folder, packed.extractall)
            return
    raise ValueError(f"'{archive}' is not an archive of the format {' or '.join(listed)}")


def _unpack(folder: Path, extract: Callable[[str], None]) -> None:
    """Puts what `extract` writes into a folder, once all of it is there: an archive that ends early leaves nothing."""
    with tempfile.TemporaryDirectory(prefix="unpacking.", dir=folder) as part:
        extract(part)
        for one in sorted(Path(part).iterdir()):
            _move(one, folder / one.name)


def _move(source: Path, target: Path) -> None:
    """Moves a file or a folder at once, or into a folder that is there."""
    if source.is_dir() and target.is_dir():
        for one in sorted(source.iterdir()):
            _move(one, target / one.name)
    else:
        os.replace(source, target)


def _check_members(folder: Path, names: List[str]) -> None:
    root = folder.resolve()
    for name in names:
        if root not in (root / name).resolve().parents and (root / name).resolve() != root:
            raise ValueError(f"the archive has a member outside of its folder: {name!r}")


# Batches


class Sequence:
    """Batches by their numbers: a subclass has `__len__` and `__getitem__`."""

    def __len__(self) -> int:
        raise NotImplementedError

    def __getitem__(self, index: int) -> Any:
        raise NotImplementedError

    def on_epoch_end(self) -> None:
        """At the end of each epoch of training."""

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))


_END = object()

# The sequence of the process of a worker.
_own: Any = None


def _set_own(sequence: Any) -> None:
    global _own
    _own = sequence


def _get_own(index: int) -> Any:
    return _own[index]


class SequenceEnqueuer:
    """Prepares batches in the background: `start`, then the iterator that `get` returns, then `stop`."""

    def __init__(self, use_multiprocessing: bool = False) -> None:
        self._use_processes = use_multiprocessing
        self._stopped = threading.Event()
        self._stopped.set()
        self.queue: Any = None

    def is_running(self) -> bool:
        return not self._stopped.is_set()

    def start(self, workers: int = 1, max_queue_size: int = 10) -> None:
        """Starts `workers` threads or processes, which are at most `max_queue_size` batches ahead."""
        self._stopped.clear()
        self._begin(max(1, workers), max_queue_size)

    def _begin(self, workers: int, max_queue_size: int) -> None:
        raise NotImplementedError

    def stop(self, timeout: Optional[float] = None) -> None:
        """Ends the workers, and waits for them up to `timeout` seconds, None for as long as it takes."""
        self._stopped.set()

    def get(self) -> Iterator[Any]:
        """The batches."""
        raise NotImplementedError

    def _put(self, item: Any) -> bool:
        """Puts an item into the queue, once there is room. Returns false if `stop` was called before."""
        while self.is_running():
            try:
                self.queue.put(item, timeout=0.05)
                return True
            except queue.Full:
                continue
        return False


class _Ordered:
    """The results of the futures of a queue, in order; the first that failed ends them."""

    def __init__(self, owner: "OrderedEnqueuer") -> None:
        self._owner = owner

    def __iter__(self) -> "_Ordered":
        return self

    def __next__(self) -> Any:
        while self._owner.is_running():
            try:
                future: Any = self._owner.queue.get(timeout=0.05)
            except queue.Empty:
                continue
            try:
                found = future.result()
            except Exception as error:
                self._owner.stop()
                raise StopIteration(error) from error
            finally:
                self._owner.queue.task_done()
            if found is not None:
                return found
        raise StopIteration


class OrderedEnqueuer(SequenceEnqueuer):
    """The batches of a `Sequence` in order, or with `shuffle` in another order in each epoch, for ever. `on_epoch_end`
    is called when all batches of an epoch have been taken. An error in a batch, or between epochs, ends the iterator.
    Raises ValueError for a sequence without batches."""

    def __init__(self, sequence: Sequence, use_multiprocessing: bool = False, shuffle: bool = False) -> None:
        super().__init__(use_multiprocessing)
        self.sequence, self.shuffle = sequence, shuffle
        self._thread: Optional[threading.Thread] = None

    def _begin(self, workers: int, max_queue_size: int) -> None:
        if not len(self.sequence):
            self._stopped.set()
            raise ValueError("expected a Sequence with at least 1 batch, found 0")
        self.queue = queue.Queue(max_queue_size)
        self._thread = threading.Thread(target=self._run, args=(workers,), daemon=True)
        self._thread.start()

    def _executor(self, workers: int) -> Executor:
        if self._use_processes:
            return ProcessPoolExecutor(workers, get_context(), _set_own, (self.sequence,))
        return ThreadPoolExecutor(workers)

    def _run(self, workers: int) -> None:
        try:
            while self.is_running():
                self._run_epoch(workers)
        except Exception as error:  # noqa: BLE001  # The thread that takes the batches raises it.
            failed: Any = Future()
            failed.set_exception(error)
            self._put(failed)

    def _run_epoch(self, workers: int) -> None:
        count = len(self.sequence)
        if not count:
            raise ValueError("expected a Sequence with at least 1 batch, found 0")
        get = _get_own if self._use_processes else self.sequence.__getitem__
        # Processes have the sequence as it was when they began.
        executor = self._executor(workers)
        try:
            for i in np.random.permutation(count) if self.shuffle else np.arange(count):
                if not self._put(executor.submit(get, int(i))):
                    return
            while self.queue.unfinished_tasks and self.is_running():
                self._stopped.wait(0.01)
        finally:
            executor.shutdown(wait=False, cancel_futures=True)
        if self.is_running():
            self.sequence.on_epoch_end()

    def get(self) -> Iterator[Any]:
        return _Ordered(self)

    def stop(self, timeout: Optional[float] = None) -> None:
        super().stop()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout)


def _iterate(generator: Any, put: Any) -> None:
    """Puts the items of a generator, and what ended it: (item, error)."""
    try:
        for item in generator:
            if not put((item, None)):
                return
        put((_END, None))
    except Exception as error:  # noqa: BLE001  # The thread or process that takes the items raises it.
        put((_END, error))


def _iterate_in_process(generator: Any, items: Any) -> None:
    def put(item: Any) -> bool:
        value, error = item
        # The queue itself drops what cannot be pickled.
        items.put(pickle.dumps((None if value is _END else value, value is _END, error)))
        return True

    _iterate(generator, put)


class GeneratorEnqueuer(SequenceEnqueuer):
    """The items of a generator, which the workers call: threads take turns, and each process has a copy of it. They
    come in no certain order. An error is raised where its item would be."""

    def __init__(self, generator: Any, use_multiprocessing: bool = False, wait_time: float = 0.05, seed: Any = None):
        super().__init__(use_multiprocessing)
        self._generator, self.wait_time, self.seed = generator, wait_time, seed
        self._workers: List[Any] = []

    def _begin(self, workers: int, max_queue_size: int) -> None:
        if self._use_processes:
            # A generator has no copy but that of a fork.
            context = get_context("fork")
            self.queue = context.Queue(max_queue_size)
            for i in range(workers):
                if self.seed is not None:
                    np.random.seed(self.seed + i)
                worker: Any = context.Process(target=_iterate_in_process, args=(self._generator, self.queue),
                                              daemon=True)  # fmt: skip
                worker.start()
                self._workers.append(worker)
            return
        self.queue = queue.Queue(max_queue_size)
        lock = threading.Lock()

        def take_turns() -> Iterator[Any]:
            while True:
                with lock:
                    item = next(self._generator, _END)
                if item is _END:
                    return
                yield item

        for _ in range(workers):
            worker = threading.Thread(target=_iterate, args=(take_turns(), self._put), daemon=True)
            worker.start()
            self._workers.append(worker)

    def get(self) -> Iterator[Any]:
        ended = 0
        while self.is_running() and ended < len(self._workers):
            # Before the queue is looked at: what a worker put there comes before its end.
            has_lost = self._use_processes and any(worker.exitcode not in (None, 0) for worker in self._workers)
            try:
                taken = self.queue.get(timeout=self.wait_time)
            except queue.Empty:
                if has_lost:
                    self.stop()
                    raise RuntimeError("a process that makes batches has ended before its generator") from None
                continue
            if self._use_processes:
                item, is_end, error = pickle.loads(taken)
            else:
                item, error = taken
                is_end = item is _END
            if error is not None:
                self.stop()
                raise error
            if is_end:
                ended += 1
            elif item is not None:
                yield item

    def stop(self, timeout: Optional[float] = None) -> None:
        super().stop()
        for worker in self._workers:
            if self._use_processes:
                worker.terminate()
            if worker is not threading.current_thread():
                worker.join(timeout)
        self._workers = []
