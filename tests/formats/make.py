"""Small releases of every form by this version, to be read by later ones.

    python -m tests.formats.make VERSION

Run once when a version is published; what it writes is never made again. The people are invented.
One release is signed with a key of which only the public part is kept.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import gyges as gy
from gyges.data.examples import hospital, hospital_schema, hospital_with_several_diseases

HERE = Path(__file__).parent
RULES = [gy.KAnonymity(4), gy.DistinctDiversity(2)]


def made(key: Path) -> dict[str, tuple[gy.Published, dict[str, object]]]:
    """A release of each form, and how it is saved."""
    columns = hospital(60)
    ages = gy.read(
        {name: columns[name] for name in ("patient", "age", "disease")},
        gy.Schema(identifiers=["patient"], quasi_identifiers=["age"], sensitive="disease"),
    )
    diseases = sorted(set(map(str, columns["disease"])))
    one = gy.read(columns, hospital_schema())
    several = gy.read(hospital_with_several_diseases(60), hospital_schema(several=True))
    noise = {"views": [["disease"]], "domains": {"disease": diseases}}
    points = {"*": [(0, 1, 0, "99/100")]}
    return {
        "generalized": (gy.publish(one, RULES, seed=1), {}),
        "lattice": (gy.publish(one, RULES, method="lattice", seed=1), {"format": "parquet"}),
        "bucketized": (gy.publish(one, RULES, form="bucketized", seed=1), {}),
        "buckets": (gy.publish(one, [gy.DistinctDiversity(3)], method="buckets", seed=1), {}),
        "several": (gy.publish(several, [gy.Skyline(points)], seed=1), {}),
        "signed": (gy.publish(one, [*RULES, gy.Safety("0.99", 1)], seed=2), {"sign": key}),
        "marginals": (gy.publish(one, RULES, method="marginals"), {}),
        "centroids": (gy.publish(ages, [gy.KAnonymity(4)], method="microaggregation", seed=1), {}),
        "noisy": (gy.publish(one, [], method="dp", epsilon=1, **noise), {}),
    }


def signing_key(folder: Path, public: Path) -> Path:
    """A new private key in a folder; its public part is kept."""
    from cryptography.hazmat.primitives import serialization as formats
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key, ssh = Ed25519PrivateKey.generate(), formats.Encoding.OpenSSH
    public.write_bytes(key.public_key().public_bytes(ssh, formats.PublicFormat.OpenSSH) + b"\n")
    pem = (formats.Encoding.PEM, formats.PrivateFormat.PKCS8, formats.NoEncryption())
    (folder / "key").write_bytes(key.private_bytes(*pem))
    return folder / "key"


if __name__ == "__main__":
    place = HERE / sys.argv[1]
    place.mkdir()
    with TemporaryDirectory() as folder:
        for name, (release, options) in made(signing_key(Path(folder), place / "key.pub")).items():
            release.save(place / name, **options)  # type: ignore[arg-type]
