import * as l10n from '@vscode/l10n';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { MAX_EDITED, type ShownEvent } from '../../src/protocol/eventsView.ts';
import { Button } from '../components.ts';
import type { EventsModel } from './eventsModel.ts';
import { parseBody } from './jsonTree.tsx';

/** Headers that the server writes again, since they belong to the body or prove it. */
const WRITTEN_AGAIN = /^(content-length|host|connection|transfer-encoding|authorization)$/i;

/** Changes of an event, and the button that sends it as a new one. */
export function EditForm({ model, event }: { readonly model: EventsModel; readonly event: ShownEvent }): JSX.Element {
  const lines = event.headers
    .filter(({ name, isSecret }) => !isSecret && !WRITTEN_AGAIN.test(name))
    .map(({ name, value }) => `${name}: ${value}`)
    .join('\n');
  const [type, setType] = useState(event.row.type);
  const [headers, setHeaders] = useState(lines);
  const [body, setBody] = useState(event.body);
  const [isSending, setSending] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  const wasJson = parseBody(event.body) !== undefined;
  const problem = bodyProblem(body, wasJson) ?? headerProblem(headers);
  const send = (): void => {
    if (problem !== undefined || isSending) return;
    setSending(true);
    const changed = type === event.row.type ? '' : type;
    void model.resend(changed, headersOf(headers), body).finally(() => setSending(false));
  };
  return (
    <form
      class="edit"
      aria-label={l10n.t('Edit and Resend')}
      onSubmit={(submitted) => {
        submitted.preventDefault();
        send();
      }}
      onKeyDown={(pressed) => {
        if (pressed.key === 'Escape') model.edit(false);
        else if (pressed.key === 'Enter' && (pressed.ctrlKey || pressed.metaKey)) send();
        else return;
        pressed.preventDefault();
      }}
    >
      <label>
        {l10n.t('Type')}
        <input type="text" value={type} maxLength={200} onInput={({ currentTarget }) => setType(currentTarget.value)} />
      </label>
      <label>
        {l10n.t('Headers, one per line')}
        <textarea
          rows={5}
          value={headers}
          spellcheck={false}
          onInput={({ currentTarget }) => setHeaders(currentTarget.value)}
        />
      </label>
      <label>
        {l10n.t('Body')}
        <textarea
          class="body"
          rows={16}
          value={body}
          maxLength={MAX_EDITED}
          spellcheck={false}
          ref={field}
          onInput={({ currentTarget }) => setBody(currentTarget.value)}
        />
      </label>
      <p class="hint" role="status">
        {problem ?? l10n.t('Signed again as its sender would. Ctrl+Enter sends.')}
      </p>
      <div class="toolbar">
        <Button icon="icon-send" disabled={problem !== undefined || isSending} onClick={send}>
          {l10n.t('Send as New Event')}
        </Button>
        <Button appearance="secondary" onClick={() => model.edit(false)}>
          {l10n.t('Cancel')}
        </Button>
      </div>
    </form>
  );
}

function bodyProblem(body: string, wasJson: boolean): string | undefined {
  if (!wasJson) return undefined;
  try {
    JSON.parse(body);
    return undefined;
  } catch (error) {
    return l10n.t('The body is not JSON: {0}', (error as Error).message);
  }
}

function headerProblem(text: string): string | undefined {
  const wrong = text.split('\n').find((line) => line.trim() !== '' && !/^[\w!#$%&'*+.^`|~-]+:/.test(line));
  return wrong === undefined ? undefined : l10n.t('“{0}” is no header. Write Name: value.', wrong.slice(0, 60));
}

function headersOf(text: string): (readonly [string, string])[] {
  return text.split('\n').flatMap((line) => {
    const at = line.indexOf(':');
    return at < 0 ? [] : [[line.slice(0, at).trim(), line.slice(at + 1).trim()] as const];
  });
}
