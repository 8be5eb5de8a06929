import assert from 'node:assert/strict';
import { ALERT_KINDS, type AlertEvent } from './alertEvents.ts';
import { DESTINATION_KINDS } from './destination.ts';
import { messageBody, sampleMessage } from './messages.ts';

describe('a message of alerts', () => {
  const at = Date.parse('2026-11-21T12:00:00Z');
  const event = (text: string, kind: AlertEvent['kind'] = 'over'): AlertEvent => ({
    ...{ key: text, kind, period: '2026-11', text, groups: {}, figures: { used: 1.2 } },
    subject: { type: 'account', name: text },
  });
  const body = (kind: (typeof DESTINATION_KINDS)[number], events: readonly AlertEvent[]): string =>
    messageBody(kind, { id: 'id', at, source: 'example.com', events });

  it('shows a name as plain text, also one that looks like a mention or a link', () => {
    const hostile = event('<!channel> [x](command:y) *b*');
    const slack = JSON.parse(body('slack', [hostile])) as { text: string; blocks: { text?: { type: string } }[] };
    assert.equal(slack.text, 'Sextant: 1 alert');
    assert.deepEqual(new Set(slack.blocks.flatMap(({ text }) => (text ? [text.type] : []))), new Set(['plain_text']));
    // Only text blocks read Markdown.
    assert.doesNotMatch(body('teams', [hostile]), /"TextBlock"/);
    assert.match(body('teams', [hostile]), /"type":"TextRun","text":"<!channel> \[x\]\(command:y\) \*b\*"/);
  });

  it('names ten events of a kind and counts the others, within the bounds of its receiver', () => {
    const events = ALERT_KINDS.flatMap((kind) => Array.from({ length: 500 }, (_, i) => event(`${i}${'ä'.repeat(900)}`, kind))); // oxfmt-ignore
    const slack = JSON.parse(body('slack', events)) as { blocks: { text?: { text: string } }[] };
    assert.ok(slack.blocks.length <= 50);
    for (const { text } of slack.blocks) assert.ok((text?.text.length ?? 0) <= 3000);
    assert.match(slack.blocks[1]!.text!.text, /^Over the limit \(500\)\n• 0ä+…\n[^]*\n• and 490 more$/);
    assert.ok(Buffer.byteLength(body('teams', events)) < 28_000);
    const json = JSON.parse(body('json', events)) as { alerts: unknown[] };
    assert.equal(json.alerts.length, 2500);
  });

  it('of a test says that its figures are an example', () => {
    for (const kind of DESTINATION_KINDS) assert.match(messageBody(kind, sampleMessage('id', at)), /Example: ada@/);
  });
});
