-- What is refused, how often, and for how many publishers.
SELECT
  reason,
  any_value(nbr) AS nbr,
  count(*) AS requests,
  count(DISTINCT publisher_id) AS publishers,
  round(100.0 * count(*) / sum(count(*)) OVER (), 1) AS percent
FROM read_parquet('verdicts.parquet')
WHERE action = 'refuse'
GROUP BY reason
ORDER BY requests DESC, reason;
