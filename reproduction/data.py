"""The public data sets of the papers: found in a folder, or downloaded and checked.

A data set is a CSV text with a header, identified by its SHA-256. Any other file is refused, so two
runs that state the same hash saw the same rows. The folder is `GYGES_DATA`; if that is not set,
`shared/data` next to the checkout; if that does not exist, a cache folder. Missing data sets are
downloaded into it.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.csv

import gyges as gy

_UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
_SECONDS = 30  # to wait for an answer
_ADULT = (
    "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,sex,"
    "capital-gain,capital-loss,hours-per-week,native-country,salary,split"
)
_NURSERY = "parents,has_nurs,form,children,housing,finance,social,health,class"
_IPUMS = (
    "year,gq,gqtypeg,farm,ownershg,value,rent,ftotinc,nfams,ncouples,nmothers,nfathers,momloc,"
    "stepmom,momrule,poploc,steppop,poprule,sploc,sprule,famsize,nchild,nchlt5,famunit,eldch,yngch,"
    "nsibs,relateg,age,sex,raceg,marst,chborn,bplg,school,educrec,schltype,empstatg,labforce,"
    "occ1950,occscore,sei,ind1950,classwkg,wkswork2,hrswork2,yrlastwk,workedyr,inctot,incwage,"
    "incbus,incfarm,incss,incwelfr,incother,poverty,migrat5g,migplac5,movedin,vetstat,tranwork"
)


@dataclass(frozen=True, slots=True)
class DataSet:
    """One public data set: its file here, its sources, and what it must be."""

    name: str
    file: str  # in the folder; gzip
    sha256: str  # of the CSV text
    urls: tuple[str, ...]  # the parts of the original
    convert: Callable[[list[bytes]], str]  # from these parts to the CSV text


def _adult(parts: list[bytes]) -> str:
    lines = [_ADULT]
    for part, split in zip(parts, ("train", "test"), strict=True):
        lines += [f"{','.join(values)},{split}" for values in _fields(part) if len(values) == 15]
    return "\n".join(lines).replace("K.,test", "K,test") + "\n"


def _nursery(parts: list[bytes]) -> str:
    return "\n".join([_NURSERY, *(",".join(values) for values in _fields(parts[0]))]) + "\n"


def _ipums(parts: list[bytes]) -> str:
    text = gzip.decompress(parts[0])
    return "\n".join([_IPUMS, *(",".join(values) for values in _fields(text))]) + "\n"


def _fields(text: bytes) -> list[list[str]]:
    lines = text.decode("utf-8").splitlines()
    return [[value.strip() for value in line.split(",")] for line in lines if line.strip()]


DATA_SETS = {
    one.name: one
    for one in (
        DataSet(
            "adult",
            "adult.csv.gz",
            "300cff2927631eeea658f7b6ea04cd35d79dd381977574d563ea47e1eb6493d6",
            (f"{_UCI}/adult/adult.data", f"{_UCI}/adult/adult.test"),
            _adult,
        ),
        DataSet(
            "nursery",
            "nursery.csv.gz",
            "cfd50f92b8b65b8d398670ce13f1e78fbc0d452ff26906de8b4497f909716951",
            (f"{_UCI}/nursery/nursery.data",),
            _nursery,
        ),
        DataSet(
            "ipums",
            "ipums_la_97.csv.gz",
            "38ae809769c2445741d44dd6b7399e383a8fac13c96337cff2ab5394931cb905",
            (f"{_UCI}/ipums-mld/ipums.la.97.gz",),
            _ipums,
        ),
    )
}


def folder() -> Path:
    """Where the data sets are looked for, and where downloads go."""
    named = os.environ.get("GYGES_DATA")
    if named:
        return Path(named)
    next_to_checkout = Path(__file__).resolve().parents[2] / "shared" / "data"
    if next_to_checkout.is_dir():
        return next_to_checkout
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "gyges" / "data"


def load(name: str) -> pa.Table:
    """The whole data set as an Arrow table; every column is text, as the codes of a census are."""
    return _parsed(name, folder())


def sha256_of(name: str) -> str:
    """The SHA-256 of the CSV text that `load` reads."""
    return DATA_SETS[name].sha256


@cache
def _parsed(name: str, where: Path) -> pa.Table:
    wanted = DATA_SETS[name]
    path = where / wanted.file
    text = _from_file(wanted, path) if path.exists() else _downloaded(wanted, path)
    header = text.partition(b"\n")[0].decode().split(",")
    options = pyarrow.csv.ConvertOptions(
        column_types={column: pa.string() for column in header}, strings_can_be_null=False
    )
    return pyarrow.csv.read_csv(io.BytesIO(text), convert_options=options)


def _from_file(wanted: DataSet, path: Path) -> bytes:
    try:
        text = gzip.decompress(path.read_bytes())
    except (OSError, EOFError) as problem:
        raise gy.GygesError(
            f"{path} cannot be read ({problem}): delete it or set GYGES_DATA"
        ) from None
    if hashlib.sha256(text).hexdigest() != wanted.sha256:
        raise gy.GygesError(
            f"{path} is not the {wanted.name} data set of the papers (its SHA-256 differs): "
            f"delete it to download it again, or set GYGES_DATA to another folder"
        )
    return text


def _downloaded(wanted: DataSet, path: Path) -> bytes:
    text = wanted.convert([_fetched(wanted, url) for url in wanted.urls]).encode()
    if hashlib.sha256(text).hexdigest() != wanted.sha256:
        raise gy.GygesError(
            f"what {wanted.urls[0]} sends is not the {wanted.name} data set of the papers (its "
            f"SHA-256 differs): put {wanted.file} into a folder and set GYGES_DATA to it"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.part")
    unfinished.write_bytes(gzip.compress(text, mtime=0))
    unfinished.replace(path)
    return text


def _fetched(wanted: DataSet, url: str) -> bytes:
    try:
        with urllib.request.urlopen(url, timeout=_SECONDS) as answer:
            return bytes(answer.read())
    except (urllib.error.URLError, OSError) as problem:
        reason = getattr(problem, "reason", problem)
        raise gy.GygesError(
            f"the {wanted.name} data set is not in {folder()} and cannot be downloaded from {url} "
            f"({reason}): put {wanted.file} into a folder and set GYGES_DATA to it"
        ) from None
