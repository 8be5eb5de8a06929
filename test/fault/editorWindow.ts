import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { AdminClient } from '../../src/server/admin/adminClient.ts';
import { makeRuns } from '../../src/server/webhooks/editorWorker.ts';
import type { EditorRun } from '../../src/webhooks/editorWindows.ts';

// A window of an editor as a process of its own, which makes runs until it is killed: editorKill.test.ts. Each run is appended to a
// file before its result is sent.
const [url = '', adminToken = '', file = ''] = process.argv.slice(2);
const client = new AdminClient({ url, adminToken });
const worker = {
  window: `process ${process.pid}`,
  experts: [{ name: 'fix', does: 'appends' }],
  run: async ({ event_id: id, body = '' }: EditorRun, _: AbortSignal, begin: () => void) => {
    begin();
    await sleep(Math.random() * 40);
    appendFileSync(file, `${id} ${body}\n`);
    await sleep(Math.random() * 10);
    return { ok: true, answer: id, retry: true };
  },
};
for (;;) {
  await makeRuns(client, worker, new AbortController().signal).catch(() => undefined);
  await sleep(50);
}
