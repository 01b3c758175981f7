-- Verdicts on the requests of a log, made by the function while the query runs.
SELECT
    JSONExtractString(verdict, 'action') AS action,
    JSONExtractString(verdict, 'reason') AS reason,
    count() AS requests,
    round(avg(JSONExtractInt(verdict, 'score')), 1) AS score
FROM
(
    SELECT rtbwire_verdict(line) AS verdict
    FROM file('bids.ndjson.gz', LineAsString, 'line String')
)
GROUP BY action, reason
ORDER BY requests DESC, reason
