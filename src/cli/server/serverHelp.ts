/* Kept apart from the commands, which are loaded when they run. */

export const SERVE_HELP = `
Ctrl-C answers the requests in flight, then stops the server. A state folder has one server: if it runs already, its address
and tokens are printed, and this command ends. Triggers run the commands of the file of --commands on events of webhooks:
{"commands": [{"name": "deploy", "argv": ["./deploy.sh"]}]}. Only you may write it, and it is in no repository.

With --store opensearch the files of contexts are on a cluster of OpenSearch 2.17 or newer, for any number of servers. Its user and
password are in SEXTANT_OPENSEARCH_USERNAME and SEXTANT_OPENSEARCH_PASSWORD, a token in SEXTANT_OPENSEARCH_TOKEN, or in a file.

Examples:
  sextant serve
  sextant serve --seed 7 --users 500 --plan usd
  sextant serve --data facts.ndjson --now 2026-11-21T09:00:00Z
  sextant serve --scenario flaky --fault '{"path":"/analytics/v0/dau","every":3,"status":503}'
  sextant serve --json --port 0 --state ./state --token reader --admin-token admin

Exit codes: 0 stopped, or another process serves; 2 failed or wrong usage; 130 interrupted before the server was ready.`;

export const EXPORT_HELP = `
The output includes all changes by clients and can be served again with sextant serve --data. A file is written whole or
not at all. A running server exports its own data; --data, --seed, --users and --plan are for a server that is stopped.

With --facts, each dataset is a folder of files by day: active_accounts, organization, activity, languages, credits and cost.
Files that are there are kept, so that a run that was stopped continues, within the budget of requests. A token is in
SEXTANT_ANALYTICS_TOKEN.

Examples:
  sextant export --output facts.ndjson
  sextant export --state ./state --data facts.ndjson | gzip > facts.ndjson.gz
  sextant export --seed 7 --users 500 --plan usd | grep '"kind":"cost"'
  sextant export --facts ./facts --format parquet --since 2026-11-01

Exit codes: 0 done, 2 failed or wrong usage, 130 interrupted.`;
