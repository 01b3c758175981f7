-- Every finding, also those that did not decide: where it is, and in how many requests. Indexes of
-- arrays are replaced, so that /imp/0/id and /imp/3/id are one place.
SELECT
  finding.id AS reason,
  finding.severity AS severity,
  regexp_replace(finding.path, '/[0-9]+', '/*', 'g') AS place,
  count(*) AS findings,
  count(DISTINCT (file, document)) AS requests
FROM (
  SELECT file, document, unnest(findings) AS finding
  FROM read_parquet('verdicts.parquet')
)
GROUP BY ALL
ORDER BY findings DESC, reason, place
LIMIT 20;
