"""Descriptions of a release for catalogues and programs: a codebook, Frictionless, Croissant.

They are made from the published tables and the certificate's roles alone, so they say nothing that
the tables do not, and `verify` makes them again and compares. The hashes of the tables are in
certificate.json.

- codebook.json names its parts as DDI Codebook does (fileDscr, dataDscr, var, catgry);
  codebook.html is the same for people.
- datapackage.json is a data package of Frictionless Data.
- croissant.json is a description in the vocabulary of schema.org and MLCommons Croissant.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from gyges.arguments import instance
from gyges.errors import ReleaseError
from gyges.release.exchange_files import as_numbers
from gyges.release.grouped_files import as_published
from gyges.release.release import Release

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_CATEGORIES = 100  # of a column that are listed
_MEDIA = {"csv": "text/csv", "parquet": "application/vnd.apache.parquet"}
_TYPES = {"integer": "sc:Integer", "number": "sc:Float", "string": "sc:Text"}
_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "recordSet": "cr:recordSet",
    "field": "cr:field",
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "source": "cr:source",
    "fileObject": "cr:fileObject",
    "extract": "cr:extract",
    "column": "cr:column",
}


def description_pages(release: Release, format: str = "csv") -> dict[str, str]:
    """The descriptions of a release, by file name; `format` is that of its tables.

    >>> import gyges as gy
    >>> rows = {"age": [30, 31, 30, 31], "disease": ["Flu", "Gout", "Flu", "Gout"]}
    >>> table = gy.read(rows, gy.Schema(quasi_identifiers=["age"], sensitive="disease"))
    >>> sorted(description_pages(gy.publish(table, [gy.KAnonymity(2)])))
    ['codebook.html', 'codebook.json', 'croissant.json', 'datapackage.json']
    """
    how = "give a release that gy.publish made or gy.load read"
    instance(release, Release, "release", how, ReleaseError)
    instance(format, str, "format", "give the ending of its files, such as csv", ReleaseError)
    known = as_published(release)
    ending = format if format in _MEDIA else "csv"
    tables = {f"{name}.{ending}": rows for name, rows in known.saved_tables.items()}
    variables = {file: _variables(rows, known) for file, rows in tables.items()}
    codebook = _codebook(known, tables, variables)
    return {
        "codebook.json": _json(codebook),
        "codebook.html": _page(variables),
        "datapackage.json": _json(_data_package(variables, ending)),
        "croissant.json": _json(_croissant(variables, ending)),
    }


def _json(stated: Mapping[str, object]) -> str:
    return json.dumps(stated, indent=2, ensure_ascii=False) + "\n"


def _variables(rows: pa.Table, release: Release) -> list[dict[str, Any]]:
    """What each column of a table is, and how often each of its values occurs."""
    return [
        _variable(name, column.to_pylist(), release)
        for name, column in zip(rows.column_names, rows.columns, strict=True)
    ]


def _variable(name: str, texts: list[str], release: Release) -> dict[str, Any]:
    counts = Counter(text for text in texts if text)
    listed = sorted(counts.items()) if len(counts) <= _MOST_CATEGORIES else []
    numbers = as_numbers(list(counts))
    is_whole = numbers is not None and all(one is None or one.is_integer() for one in numbers)
    return {
        "@name": name,
        "labl": _role(name, release),
        "varFormat": "string" if numbers is None else "integer" if is_whole else "number",
        "sumStat": {"vald": len(texts) - texts.count(""), "invd": texts.count("")},
        "catgry": [{"catValu": text, "catStat": n} for text, n in listed],
        "nCategories": len(counts),
    }


def _role(name: str, release: Release) -> str:
    """The part that a column plays, in words."""
    roles = release.roles
    if name in roles.quasi_identifiers:
        return "quasi-identifier: may be generalized"
    if name in roles.sensitive_columns:
        return "sensitive value"
    if name in roles.pseudonyms:
        return "keyed pseudonym"
    if name in roles.published:
        return "published unchanged"
    counts = {roles.group_column: "number of the group", roles.count_column: "people in the group"}
    return counts.get(name, "part of the release")


def _codebook(
    release: Release, tables: Mapping[str, pa.Table], variables: Mapping[str, list[dict[str, Any]]]
) -> dict[str, object]:
    unit = "rows" if release.rows_are_people else "people"
    return {
        "codeBook": {
            "stdyDscr": {
                "dataKind": f"anonymized microdata, {release.form}",
                "universe": f"{release.n_people} {unit} in {release.n_groups} groups",
                "conditions": [claim.text for claim in release.claims],
            },
            "fileDscr": [
                {"fileName": file, "caseQnty": rows.num_rows, "varQnty": rows.num_columns}
                for file, rows in tables.items()
            ],
            "dataDscr": [
                {"@files": file, "var": described} for file, described in variables.items()
            ],
        }
    }


def _data_package(variables: Mapping[str, list[dict[str, Any]]], ending: str) -> dict[str, object]:
    resources = [
        {
            "name": file.partition(".")[0],
            "path": file,
            "format": ending,
            "mediatype": _MEDIA[ending],
            "encoding": "utf-8",
            "schema": {
                "fields": [
                    {"name": one["@name"], "type": one["varFormat"], "description": one["labl"]}
                    for one in described
                ],
                "missingValues": [""],
            },
        }
        for file, described in variables.items()
    ]
    return {"name": "release", "profile": "data-package", "resources": resources}


def _croissant(variables: Mapping[str, list[dict[str, Any]]], ending: str) -> dict[str, object]:
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": "release",
        "description": "An anonymized table; certificate.json states what was proven about it.",
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": file,
                "name": file,
                "contentUrl": file,
                "encodingFormat": _MEDIA[ending],
            }
            for file in variables
        ],
        "recordSet": [_record_set(file, described) for file, described in variables.items()],
    }


def _record_set(file: str, described: list[dict[str, Any]]) -> dict[str, object]:
    table = file.partition(".")[0]
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"{table}/{one['@name']}",
            "name": one["@name"],
            "description": one["labl"],
            "dataType": _TYPES[one["varFormat"]],
            "source": {"fileObject": {"@id": file}, "extract": {"column": one["@name"]}},
        }
        for one in described
    ]
    return {"@type": "cr:RecordSet", "@id": table, "name": table, "field": fields}


def _page(variables: Mapping[str, list[dict[str, Any]]]) -> str:
    """The codebook for people: a table for each file, and a table of values for each column."""
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8"><title>Codebook</title></head><body>',
        "<h1>Codebook</h1>",
    ]
    for file, described in variables.items():
        parts.append(f"<h2>{escape(file)}</h2>")
        for one in described:
            summary = one["sumStat"]
            parts += [
                f"<h3>{escape(one['@name'])}</h3>",
                f"<p>{escape(one['labl'])}; {one['varFormat']}; {one['nCategories']:,} different "
                f"values; {summary['invd']:,} of {summary['vald'] + summary['invd']:,} rows are "
                f"empty.</p>",
            ]
            if one["catgry"]:
                lines = [
                    f"<tr><td>{escape(each['catValu'])}</td><td>{each['catStat']:,}</td></tr>"
                    for each in one["catgry"]
                ]
                head = "<tr><th>value</th><th>rows</th></tr>"
                parts.append(f"<table>{head}{''.join(lines)}</table>")
    return "\n".join([*parts, "</body></html>", ""])
