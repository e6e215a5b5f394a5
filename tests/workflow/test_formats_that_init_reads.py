"""What other programs add to a table: `sep=;`, signs of currencies, labels of columns."""

import tomllib

import pandas as pd
import pyreadstat
import pytest

from tests.cli.commands import gyges, write_csv

N = 240
AGE, SEX = [20 + i * 7 % 40 for i in range(N)], [1 + i * 11 % 3 % 2 for i in range(N)]
ILL = [("Flu", "Gout", "HIV")[i * 5 % 3] for i in range(N)]
ARGUMENTS = ("--quasi", "age,sex", "--sensitive", "disease", "--k", 5, "--seed", 1, "--no-report")


def lines_of(separator=","):
    rows = zip(AGE, SEX, ILL, strict=True)
    return ["age,sex,disease".replace(",", separator)] + [
        separator.join(map(str, row)) for row in rows
    ]


@pytest.mark.parametrize("first", ["sep=;", "SEP=;"])
@pytest.mark.parametrize("end", ["\r\n", "\n"])
def test_a_stated_separator_is_no_title(first, end, tmp_path):
    """The release is that of the same table without the line."""
    for name, above in (("plain", []), ("stated", [first])):
        (tmp_path / name).mkdir()
        text = end.join([*above, *lines_of(";"), ""])
        (tmp_path / name / "data.csv").write_text(text, encoding="utf-8-sig", newline="")
        code, out, notes = gyges("publish", "data.csv", *ARGUMENTS, folder=tmp_path / name)
        assert code == 0, out + notes
    one, other = (tmp_path / name / "release" / "data.csv" for name in ("plain", "stated"))
    assert one.read_bytes() == other.read_bytes()


def test_only_the_stated_separator_divides(tmp_path):
    """Without the line, cells would be divided by commas, which are in more of them."""
    rows = [f"{20 + i % 9},5;{i % 2},0,1;x{i % 3}" for i in range(60)]
    (tmp_path / "data.csv").write_text("\n".join(["sep=;", "height;code;group", *rows]))
    code, out, notes = gyges("init", "data.csv", folder=tmp_path)
    assert code == 0 and "height" in out and "group" in out, out + notes


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["sep=;"], "is empty"),
        (["sep=;", "", ""], "is empty"),
        (["sep=;", "a;b", "x;y", "x;y;z"], "line 4: 3 cells where the header has 2"),
        (["sep=;", "21;f", "22;m", "23;f"], "seems to have no header"),
    ],
)
def test_faults_below_a_stated_separator_are_named(lines, said, tmp_path):
    (tmp_path / "data.csv").write_text("\n".join([*lines, ""]))
    code, _, notes = gyges("publish", "data.csv", "--quasi", "a", "--k", 2, folder=tmp_path)
    assert code == 2 and said in notes


def test_files_with_and_without_the_line_are_not_read_together(tmp_path):
    for name, above in (("a.csv", []), ("b.csv", ["sep=;"])):
        (tmp_path / name).write_text("\n".join([*above, *lines_of(";"), ""]))
    code, _, notes = gyges("publish", "*.csv", *ARGUMENTS, folder=tmp_path)
    assert code == 2 and "states the separator" in notes


@pytest.mark.parametrize(
    ("write", "stated"),
    [
        ("{:d} %", "1,234.5"),
        ("{:d},50 €", "1.234,5"),
        ("$ {:d}.25", "1,234.5"),
        ("CHF 1'{:03d}.50", "1,234.5"),
        ("-{:d} kr", "1,234.5"),
    ],
)
def test_numbers_with_one_sign_are_numbers(write, stated, tmp_path):
    rows = [f'"{write.format(10 + i * 7 % 31)}",{ILL[i]}' for i in range(N)]
    (tmp_path / "data.csv").write_text("\n".join(["fee,disease", *rows]), encoding="utf-8")
    assert gyges("init", "data.csv", folder=tmp_path)[0] == 0
    project = tomllib.loads((tmp_path / "gyges.toml").read_text(encoding="utf-8"))
    assert project["columns"]["formats"] == {"fee": stated}
    assert "intervals" in project["hierarchies"]["fee"]
    code, out, notes = gyges("publish", "gyges.toml", "--no-report", folder=tmp_path)
    assert code == 0, out + notes


@pytest.mark.parametrize(
    "texts", [["5 €", "7 $", "9 €"], ["5", "7 %", "9"], ["1.234 €", "1.500 €", "2.750 €"]]
)
def test_numbers_that_can_be_read_in_two_ways_are_asked_about(texts, tmp_path):
    columns = {"fee": [texts[i % 3] for i in range(N)], "sex": ["fm"[i % 2] for i in range(N)]}
    write_csv(tmp_path / "data.csv", columns)
    code, out, _ = gyges("init", "data.csv", folder=tmp_path)
    assert code == 0 and "currency or percent sign" in out and "formats" in out
    assert "fee" in tomllib.loads((tmp_path / "gyges.toml").read_text())["columns"]["dropped"]


def test_a_format_of_numbers_refuses_different_signs(tmp_path):
    columns = {"fee": [f"{i % 9} {'€$'[i % 2]}" for i in range(N)], "disease": ILL}
    write_csv(tmp_path / "data.csv", columns)
    (tmp_path / "gyges.toml").write_text(
        '[data]\nsource = "data.csv"\n[columns]\nquasi_identifiers = ["fee"]\n'
        'sensitive = "disease"\nformats = { fee = "1,234.5" }\n'
        '[[require]]\nrule = "k-anonymity"\nk = 2\n'
    )
    code, _, notes = gyges("publish", "gyges.toml", folder=tmp_path)
    assert code == 2 and "one unit" in notes


LABELS = {
    "v1": "Respondent number",
    "v2": "Age at last\nbirthday",
    "v3": "Main diagnosis",
    "v4": "Sampling weight",
    "v5": "Surname",
}


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_labels_of_columns_tell_roles(ending, tmp_path):
    """Columns are called v1, v2, …, and what they are is in the file."""
    frame = pd.DataFrame(
        {
            "v1": range(1, N + 1),
            "v2": AGE,
            "v3": ["abc"[i * 5 % 3] * 3 for i in range(N)],
            "v4": [1.5 + i % 30 for i in range(N)],
            "v5": [("Xyzab", "Xuvwq", "Xrstk")[i % 3] for i in range(N)],
        }
    )
    write = {"sav": pyreadstat.write_sav, "dta": pyreadstat.write_dta}[ending]
    write(frame, str(tmp_path / f"data.{ending}"), column_labels=list(LABELS.values()))
    code, out, notes = gyges("init", f"data.{ending}", folder=tmp_path)
    assert code == 0, out + notes
    for label in LABELS.values():
        assert f"labelled '{' '.join(label.split())}'" in " ".join(out.split())
    stated = tomllib.loads((tmp_path / "gyges.toml").read_text(encoding="utf-8"))["columns"]
    assert (stated["sensitive"], stated["weight"]) == ("v3", "v4")
    assert stated["quasi_identifiers"] == ["v2"]
    assert "v1" in {stated.get("person"), *stated.get("identifiers", [])}
    assert "v5" in [*stated.get("identifiers", []), *stated.get("dropped", [])]


def test_init_states_the_format_of_weights(tmp_path):
    """Weights with decimal commas: the untouched project of a German survey publishes."""
    rows = [f"{AGE[i]};{SEX[i]};{ILL[i]};{1000 + i},{i % 90 + 10}" for i in range(N)]
    (tmp_path / "umfrage.csv").write_text("\n".join(["age;sex;disease;wgt", *rows]) + "\n")
    code, out, notes = gyges("init", "umfrage.csv", folder=tmp_path)
    assert code == 0, out + notes
    stated = tomllib.loads((tmp_path / "gyges.toml").read_text())
    assert stated["columns"]["weight"] == "wgt"
    assert stated["columns"]["formats"] == {"wgt": "1.234,5"}
    code, out, notes = gyges("publish", "gyges.toml", "--no-report", folder=tmp_path)
    assert code == 0, out + notes


def test_init_counts_only_missing_values_that_matter(tmp_path):
    """Empty columns are dropped: what is missing there asks for no decision."""
    rows = [f"{AGE[i]},{SEX[i]},{ILL[i]},," for i in range(N)]
    (tmp_path / "data.csv").write_text("\n".join(["age,sex,disease,note,rest", *rows]) + "\n")
    assert gyges("init", "data.csv", folder=tmp_path)[0] == 0
    text = (tmp_path / "gyges.toml").read_text()
    assert "missing" not in tomllib.loads(text)["data"] and "values are missing" not in text
