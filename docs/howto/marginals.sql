-- Answers from the marginals of a release in DuckDB: .read marginals.sql, or duckdb.sql(open("marginals.sql").read()).
--
--   SELECT * FROM dapple_counts('out', ['sex', 'age']);
--   SELECT labels[1] AS sex, sum(value) FROM dapple_counts('out', ['sex', 'age']) WHERE labels[2] = '40' GROUP BY ALL;
--
-- Columns stand in the order of the domain file. A marginal that was not released has no rows.

-- Labels of a cell. They are joined by ", ", and a comma or a backslash within one has a backslash before it.
CREATE OR REPLACE MACRO dapple_labels(cell) AS
    list_transform(regexp_extract_all(cell || ', ', '((?:[^\\,]|\\.)*), ', 1), lambda x: regexp_replace(x, '\\(.)', '\1', 'g'));

-- Cells of one marginal: labels, share, its standard error, and whether noise was measured there.
CREATE OR REPLACE MACRO dapple_shares(release, names) AS TABLE
    SELECT dapple_labels(cell) AS labels, fitted AS value, fitted_standard_error AS standard_error,
        greatest(0, fitted - 1.96 * fitted_standard_error) AS low, least(1, fitted_high) AS high,
        fitted_error_from AS "from"
    FROM read_parquet(release || '.release/_marginals.parquet')
    WHERE dapple_labels(marginal) = names;

-- The same in people.
CREATE OR REPLACE MACRO dapple_counts(release, names) AS TABLE
    SELECT labels, units * value AS value, units * standard_error AS standard_error, units * low AS low, units * high AS high, "from"
    FROM dapple_shares(release, names), (SELECT units FROM read_json(release || '.release/_errors.json', columns = {units: 'DOUBLE'}));
