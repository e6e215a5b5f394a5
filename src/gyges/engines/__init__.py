"""The engines room: where rows live.

Rows stay where they are (files read by DuckDB, a PostgreSQL or DuckDB database, Spark, memory);
what comes back is counts. The only room that imports ibis, duckdb, pyspark or a database driver.

    read.py        `gy.read`: opens a table wherever it is, and counts it
    ibis.py        `Source` for every engine that Ibis supports
    in_memory.py   `Source` for an Arrow table in memory
    transfer.py    Arrow in and out of an engine; what differs between engines
    frames.py      pandas, polars, Arrow and dicts of lists as one Arrow table
    file_sources.py  paths, globs, Parquet; small_files.py reads small ones into memory at once
    parquet_rows.py  `Source` for larger Parquet files, counted here column by column
    csv_files.py   separator and header of a CSV file; csv_faults.py: what is wrong in one
    text_encodings.py  files that are not in UTF-8, and copies that are
    spreadsheets.py  sheets of Excel and OpenDocument; labelled_files.py: SPSS, Stata and SAS
    databases.py   URLs, Ibis tables, Spark frames
    write_back.py  a release as new tables of a database
    coded.py       cells that stay in their engine, for tables larger than memory
    spark_workers.py  work on such cells in the Python workers of a Spark cluster
    value_table.py  sensitive values in a second table

Imports:      data, arrays, errors; kernels for the number of processors.
Used by:      auditing, workflow, cli, studio; the other rooms get a `Table` as an argument.
Yours:        what is special to one engine, in transfer.py.
Take care:    messages of an engine quote rows: none of them is passed on.
Always along: tests/engines, one suite run on every engine.
"""
