/* Apart from what it is of, which is loaded only when it runs. */

export const SERVE_HELP = `
Ctrl-C finishes what is in flight. A state folder has one server: where one runs already, this prints how to reach it and ends.

Examples:
  sextant serve
  sextant serve --seed 7 --users 500 --plan usd
  sextant serve --data facts.ndjson --now 2026-11-21T09:00:00Z
  sextant serve --scenario flaky --fault '{"path":"/analytics/v0/dau","every":3,"status":503}'
  sextant serve --json --port 0 --state ./state --token reader --admin-token admin

Exit codes: 0 it was told to stop, or another process serves; 2 failed or wrong usage; 130 interrupted before it was ready.`;

export const EXPORT_HELP = `
The same with every change that clients made, for sextant serve --data; files are written whole or not at all.

Examples:
  sextant export --output facts.ndjson
  sextant export --state ./state --data facts.ndjson | gzip > facts.ndjson.gz
  sextant export --seed 7 --users 500 --plan usd | grep '"kind":"cost"'

Exit codes: 0 done, 2 failed or wrong usage, 130 interrupted.`;
