# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine around a program: options of sessions, flags, logs and files."""

import argparse
import glob
import logging as _logging
import os
import shutil
import sys
from typing import IO, Any, Callable, Dict, List, Optional


class _Options:
    """Named options, nested ones too. This compiler has others: these are taken and have no effect."""

    def __init__(self, **options: Any):
        self.__dict__.update(options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = self.__dict__[name] = _Options()
        return made


class ConfigProto(_Options):
    """Options of a session: `allow_soft_placement`; the others are taken, and have no effect."""

    def __init__(self, allow_soft_placement: bool = False, **options: Any):
        super().__init__(allow_soft_placement=allow_soft_placement, **options)


class GPUOptions(_Options):
    """Options of GPUs: taken, and of no effect."""


class GraphOptions(_Options):
    """Options of graphs: taken, and of no effect."""


class OptimizerOptions(_Options):
    """Options of TensorFlow's optimizer: taken, and of no effect."""

    L0, L1, ON_1, OFF = -1, 0, 1, -1


class RunOptions(_Options):
    """Options of a run: taken, and of no effect."""

    NO_TRACE, SOFTWARE_TRACE, HARDWARE_TRACE, FULL_TRACE = range(4)


class RunMetadata(_Options):
    """The metadata that TensorFlow returns of a run: empty here. See docs/Profiling.md."""


class _Flags:
    """Values of flags by name: those of the command line, once one is read."""

    def __init__(self) -> None:
        self.__dict__["_parser"] = argparse.ArgumentParser(allow_abbrev=False)
        self.__dict__["_values"] = None

    def _add(self, name: str, default: Any, help: str, kind: Callable[[str], Any]) -> None:
        self._parser.add_argument(f"--{name}", default=default, help=help, type=kind)
        if self._values is not None:
            setattr(self._values, name, default)

    def _parse(self, arguments: Optional[List[str]] = None) -> List[str]:
        values, rest = self._parser.parse_known_args(arguments)
        self.__dict__["_values"] = values
        return list(rest)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if self._values is None:
            self._parse()
        if not hasattr(self._values, name):
            raise AttributeError(f"there is no flag '{name}'")
        return getattr(self._values, name)

    def __setattr__(self, name: str, value: Any) -> None:
        getattr(self, name)
        setattr(self._values, name, value)

    def flag_values_dict(self) -> Dict[str, Any]:
        if self._values is None:
            self._parse()
        return dict(vars(self._values))


def _bool(text: str) -> bool:
    if text.lower() not in ("true", "false", "1", "0", "t", "f", "yes", "no"):
        raise argparse.ArgumentTypeError(f"expected true or false, found '{text}'")
    return text.lower() in ("true", "1", "t", "yes")


class flags:  # noqa: N801
    """Flags of the command line."""

    @staticmethod
    def DEFINE_list(name: str, default: Any, help: str = "", **_: Any) -> None:
        flags.FLAGS._add(name, default, help, lambda text: text.split(","))

    @staticmethod
    def DEFINE_enum(name: str, default: Any, enum_values: Any, help: str = "", **_: Any) -> None:
        def chosen(text: str) -> str:
            if text not in enum_values:
                raise argparse.ArgumentTypeError(f"expected one of {', '.join(enum_values)}, found '{text}'")
            return text

        flags.FLAGS._add(name, default, help, chosen)

    FLAGS = _Flags()

    @staticmethod
    def DEFINE_string(name: str, default: Any, help: str = "", **_: Any) -> None:
        flags.FLAGS._add(name, default, help, str)

    @staticmethod
    def DEFINE_integer(name: str, default: Any, help: str = "", **_: Any) -> None:
        flags.FLAGS._add(name, default, help, int)

    @staticmethod
    def DEFINE_float(name: str, default: Any, help: str = "", **_: Any) -> None:
        flags.FLAGS._add(name, default, help, float)

    @staticmethod
    def DEFINE_boolean(name: str, default: Any, help: str = "", **_: Any) -> None:
        flags.FLAGS._add(name, default, help, _bool)

    DEFINE_bool = DEFINE_boolean


class app:  # noqa: N801
    """The start of a program."""

    flags = flags

    @staticmethod
    def run(main: Any = None, argv: Optional[List[str]] = None) -> None:
        """Reads the flags, and ends the program with what `main` returns."""
        arguments = list(sys.argv if argv is None else argv)
        rest = flags.FLAGS._parse(arguments[1:])
        function = main or sys.modules["__main__"].__dict__["main"]
        sys.exit(function([*arguments[:1], *rest]))


class logging:  # noqa: N801
    """Messages of a program, which Python's logger "flywheel" has."""

    DEBUG, INFO, WARN, ERROR, FATAL = 10, 20, 30, 40, 50
    _logger = _logging.getLogger("flywheel")
    _counts: Dict[str, int] = {}
    debug, info, error, fatal = _logger.debug, _logger.info, _logger.error, _logger.critical
    warn = warning = _logger.warning

    @staticmethod
    def set_verbosity(level: int) -> None:
        logging._logger.setLevel(level)
        if not _logging.getLogger().handlers and not logging._logger.handlers:
            logging._logger.addHandler(_logging.StreamHandler())

    @staticmethod
    def log_every_n(level: int, message: str, n: int, *args: Any) -> None:
        """Logs one of n calls with this message."""
        count = logging._counts[message] = logging._counts.get(message, -1) + 1
        if count % n == 0:
            logging._logger.log(level, message, *args)

    @staticmethod
    def get_verbosity() -> int:
        return logging._logger.getEffectiveLevel()


class OutOfRangeError(Exception):
    """The end of the data of an iterator."""

    def __init__(self, message: str = "End of sequence", *_: Any):
        super().__init__(message)
        self.message = message


class gfile:  # noqa: N801
    """Files of this machine."""

    @staticmethod
    def GFile(name: str, mode: str = "r") -> IO[Any]:
        """Opens a file, as `open` does."""
        return open(name, mode)

    Open = FastGFile = GFile
    Exists, IsDirectory = staticmethod(os.path.exists), staticmethod(os.path.isdir)
    ListDirectory = staticmethod(os.listdir)
    MkDir, Remove, DeleteRecursively = staticmethod(os.mkdir), staticmethod(os.remove), staticmethod(shutil.rmtree)
    Glob = staticmethod(glob.glob)
    Rename, Copy = staticmethod(os.replace), staticmethod(shutil.copyfile)
    Walk, Stat = staticmethod(os.walk), staticmethod(os.stat)

    @staticmethod
    def MakeDirs(path: str) -> None:
        os.makedirs(path, exist_ok=True)
