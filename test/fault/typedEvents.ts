import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SextantError } from '../../src/base/errors.ts';
import { AdminClient } from '../../src/server/admin/adminClient.ts';
import { makeRuns } from '../../src/server/webhooks/editorWorker.ts';
import type { EventDetailView, NewWebhookView } from '../../src/server/webhooks/views.ts';
import type { EditorRun } from '../../src/webhooks/editorWindows.ts';
import { WEBHOOK_TYPES, type WebhookType } from '../../src/webhooks/names.ts';
import type { ServerInfo } from '../../src/server/runningServer.ts';
import { Client } from '../conformance/client.ts';

/** The events of each type; of the types that are missing here one that is in no library. */
const EVENTS: Readonly<Partial<Record<WebhookType, readonly string[]>>> = {
  github: ['github-push', 'github.pull_request.opened'],
  gitlab: ['gitlab-push'],
  stripe: ['stripe-payment'],
  slack: ['slack-mention'],
  shopify: ['shopify-order'],
  pagerduty: ['pagerduty'],
  twilio: ['twilio-message'],
};
/** What a server needs to know of the experts that a window runs: a task, a question, a prompt. */
const OF_THE_EDITOR = ['task', 'ask', 'model'] as const;
/** `echo` is a command, and `receiver` forwards. */
const EXPERTS = ['echo', 'receiver', ...OF_THE_EDITOR] as const;
const OWN_SECRET = 'whsec_ofTheSender0123456789';
const FORM = 'From=%2B15550001&Body=odd%20%c3%a9&Body=twice';

/** The commands of the server; returns the path of their file. */
export function writeCommands(folder: string): string {
  const file = join(folder, 'commands.json');
  const argv = [process.execPath, '-e', 'process.stdin.pipe(process.stdout)'];
  writeFileSync(file, JSON.stringify({ commands: [{ name: 'echo', argv }] }), { mode: 0o600 });
  return file;
}

/** A window that runs the experts of the editor until `signal` aborts. */
export function openWindow(info: ServerInfo, signal: AbortSignal): Promise<void> {
  const run = (
    { expert, webhook }: EditorRun,
    _: AbortSignal,
    begin: () => void,
  ): Promise<{ ok: true; answer: string; retry: true }> => {
    begin();
    return Promise.resolve({ ok: true, answer: `${expert} for ${webhook}`, retry: true });
  };
  const experts = OF_THE_EDITOR.map((name) => ({ name, does: `the ${name}` }));
  return makeRuns(new AdminClient(info), { window: 'typed', experts, run }, signal).catch((error: unknown) => {
    // The server was killed while the window was open.
    if (!signal.aborted && !(error instanceof SextantError && error.code === 'NoAnswer')) throw error;
  });
}

/** Events of all types of webhooks, each with a trigger for each kind of expert. */
export class TypedEvents {
  readonly #ids: string[] = [];
  #before = new Map<string, EventDetailView>();
  #proofs = new Map<string, unknown>();

  /** Sends the events; the expert `receiver` exists. */
  async send(info: ServerInfo): Promise<void> {
    const client = new AdminClient(info);
    for (const name of OF_THE_EDITOR) await client.ask('POST', 'experts', { name, type: 'editor' });
    for (const [i, type] of WEBHOOK_TYPES.entries()) {
      const secret =
        type === 'stripe' || type === 'slack' || type === 'shopify' || type === 'twilio' || type === 'pagerduty';
      const signature = { header: 'X-Signature', algorithm: 'sha1', encoding: 'base64' };
      const { url } = await client.ask<NewWebhookView>('POST', 'webhooks', {
        ...{ name: type, type },
        ...(secret && { secret: OWN_SECRET }),
        ...(type === 'hmac' && { signature }),
      });
      // Each type has two kinds of experts, and each kind several types.
      for (const expert of [EXPERTS[i % EXPERTS.length]!, EXPERTS[(i + 1) % EXPERTS.length]!])
        await client.ask('POST', 'triggers', { name: `${expert} of ${type}`, webhook: type, expert });
      for (const test of EVENTS[type]?.map((template) => ({ template })) ?? [
        { text: ` {"type" : "${type}", "n": 1.0}` },
      ]) {
        const sent = await client.ask<{ event_id: string }>('POST', AdminClient.path(['webhooks', type, 'send']), test);
        this.#ids.push(sent.event_id);
      }
      if (type !== 'anything') continue;
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const answer = await fetch(`${url}?odd=1`, { method: 'PUT', body: FORM, headers });
      this.#ids.push(((await answer.json()) as { event_id: string }).event_id);
    }
  }

  /** Remembers the events, whose runs have ended: each expert had each of its events. */
  async remember(info: ServerInfo): Promise<void> {
    for (const id of this.#ids) {
      const event = await eventOf(info, id);
      assert.ok(event, id);
      assert.equal(event.status, 'succeeded', `${id} of ${event.webhook}`);
      assert.equal(event.runs.length, 2);
      this.#before.set(id, event);
      this.#proofs.set(id, await proofOf(info, id));
    }
  }

  /** Compares the events with those remembered. Returns the number of lost ones. */
  async check(info: ServerInfo): Promise<number> {
    let lost = 0;
    for (const [id, before] of this.#before) {
      const event = await eventOf(info, id);
      if (!event) {
        lost++;
        continue;
      }
      const { evaluations, runs, is_damaged, status, ...sent } = event;
      const { evaluations: _, runs: runsBefore, status: statusBefore, ...sentBefore } = before;
      assert.deepEqual(sent, sentBefore);
      assert.deepEqual(await proofOf(info, id), this.#proofs.get(id), id);
      if (is_damaged) continue;
      assert.deepEqual(evaluations, before.evaluations);
      assert.equal(status, statusBefore, id);
      // An event whose runs were lost has them again: at least once.
      const results = (all: EventDetailView['runs']): unknown[] => all.map(({ attempts: _, ...run }) => run);
      assert.deepEqual(results(runs), results(runsBefore));
    }
    return lost;
  }
}

/** Undefined for a damaged one. */
async function eventOf(info: ServerInfo, id: string): Promise<EventDetailView | undefined> {
  const { status, body } = await new Client(info).admin('GET', `events/${id}`);
  assert.ok(status === 200 || status === 410 || status === 404, `${id}: ${status}`);
  return status === 200 ? (body as unknown as EventDetailView) : undefined;
}

async function proofOf(info: ServerInfo, id: string): Promise<unknown> {
  return (await new Client(info).admin('GET', `events/${id}/proof`)).body;
}
