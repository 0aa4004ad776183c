# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine around a program: options of sessions, flags, logs and files."""

import argparse
import glob
import logging as _logging
import os
import shutil
import sys
from typing import IO, Any, Callable, Dict, Iterator, List, Optional, Tuple


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
    def set_verbosity(v: int) -> None:
        logging._logger.setLevel(v)
        if not _logging.getLogger().handlers and not logging._logger.handlers:
            logging._logger.addHandler(_logging.StreamHandler())

    @staticmethod
    def log_every_n(level: int, msg: str, n: int, *args: Any) -> None:
        """Logs one of n calls with this msg."""
        count = logging._counts[msg] = logging._counts.get(msg, -1) + 1
        if count % n == 0:
            logging._logger.log(level, msg, *args)

    @staticmethod
    def log(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
        logging._logger.log(level, msg, *args, **kwargs)

    @staticmethod
    def vlog(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
        logging._logger.log(level, msg, *args, **kwargs)

    @staticmethod
    def log_first_n(level: int, msg: str, n: int, *args: Any) -> None:
        """Logs the first n calls with this msg."""
        count = logging._counts[msg] = logging._counts.get(msg, -1) + 1
        if count < n:
            logging._logger.log(level, msg, *args)

    @staticmethod
    def log_if(level: int, msg: str, condition: Any, *args: Any) -> None:
        if condition:
            logging._logger.log(level, msg, *args)

    @staticmethod
    def flush() -> None:
        for handler in logging._logger.handlers:
            handler.flush()

    @staticmethod
    def get_verbosity() -> int:
        return logging._logger.getEffectiveLevel()


class gfile:  # noqa: N801
    """Files of this machine."""

    @staticmethod
    def GFile(name: str, mode: str = "r") -> IO[Any]:
        """Opens a file, as `open` does."""
        return open(name, mode)

    Open = FastGFile = GFile

    @staticmethod
    def Exists(filename: str) -> bool:
        return os.path.exists(filename)

    @staticmethod
    def IsDirectory(dirname: str) -> bool:
        return os.path.isdir(dirname)

    @staticmethod
    def ListDirectory(dirname: str) -> List[str]:
        return os.listdir(dirname)

    @staticmethod
    def MkDir(dirname: str) -> None:
        os.mkdir(dirname)

    @staticmethod
    def MakeDirs(dirname: str) -> None:
        os.makedirs(dirname, exist_ok=True)

    @staticmethod
    def Remove(filename: str) -> None:
        os.remove(filename)

    @staticmethod
    def DeleteRecursively(dirname: str) -> None:
        shutil.rmtree(dirname)

    @staticmethod
    def Glob(filename: Any) -> List[str]:
        """The files of a pattern, or of a list of them."""
        patterns = [filename] if isinstance(filename, str) else filename
        return [found for pattern in patterns for found in glob.glob(pattern)]

    @staticmethod
    def Rename(oldname: str, newname: str, overwrite: bool = False) -> None:
        """Raises FileExistsError if there is a file of the new name and `overwrite` is false."""
        gfile._check_free(newname, overwrite)
        os.replace(oldname, newname)

    @staticmethod
    def Copy(oldpath: str, newpath: str, overwrite: bool = False) -> None:
        """Raises FileExistsError if there is a file of the new name and `overwrite` is false."""
        gfile._check_free(newpath, overwrite)
        shutil.copyfile(oldpath, newpath)

    @staticmethod
    def _check_free(name: str, overwrite: bool) -> None:
        if not overwrite and os.path.exists(name):
            raise FileExistsError(f"{name} is there already: overwrite=True replaces it")

    @staticmethod
    def Walk(top: str, in_order: bool = True) -> Iterator[Tuple[str, List[str], List[str]]]:
        """Folders, each with the names of its folders and files; with `in_order`, a folder before those in it."""
        return os.walk(top, topdown=in_order)

    @staticmethod
    def Stat(filename: str) -> os.stat_result:
        return os.stat(filename)
