-- Whose traffic is refused most: by publisher and channel, with the most frequent reason.
SELECT
  coalesce(publisher_id, '(none)') AS publisher,
  channel,
  count(*) AS requests,
  round(100.0 * count(*) FILTER (action = 'refuse') / count(*), 1) AS refused_percent,
  mode(reason) AS main_reason,
  round(avg(score), 1) AS score
FROM read_parquet('verdicts.parquet')
WHERE type = 'request'
GROUP BY ALL
ORDER BY requests DESC, publisher, channel
LIMIT 20;
