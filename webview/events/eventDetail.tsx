import * as l10n from '@vscode/l10n';
import { Fragment, type ComponentChildren, type JSX } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { formatBytes } from '../../src/base/format.ts';
import type {
  EventAction,
  ShownAttempt,
  ShownEvaluation,
  ShownEvent,
  ShownRun,
} from '../../src/protocol/eventsView.ts';
import { Button, IconButton } from '../components.ts';
import { ToolButton } from '../controls.tsx';
import { Popup } from '../popup.tsx';
import { EditForm } from './editForm.tsx';
import { timeOf } from './eventList.tsx';
import type { EventsModel } from './eventsModel.ts';
import { JsonTree, MASK, parseBody } from './jsonTree.tsx';

interface DetailProps {
  readonly model: EventsModel;
  readonly event: ShownEvent;
}

/** The page of one event. `leave` moves the focus to the list. */
export function EventDetail({ model, event, leave }: DetailProps & { readonly leave: () => void }): JSX.Element {
  const { row } = event;
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    // Beside the list, arrow keys go on there.
    if (matchMedia('(max-width: 899px)').matches) heading.current?.focus();
  }, []);
  const close = (): void => {
    void model.open(null);
    leave();
  };
  return (
    <section
      class="event-pane"
      aria-label={row.id}
      onKeyDown={(pressed) => {
        if (pressed.key !== 'Escape' || model.isEditing) return;
        close();
        pressed.preventDefault();
      }}
    >
      <div class="event-head">
        <ToolButton name="back" label={l10n.t('Back to the List')} icon="icon-back" onClick={close} />
        <h2 tabIndex={-1} ref={heading}>
          {row.type === '' ? row.sender : row.type}
        </h2>
        <ToolButton name="close" label={l10n.t('Close')} icon="icon-close" onClick={close} />
      </div>
      <p class="about">
        {[...new Set([row.sender, event.webhook ?? l10n.t('deleted webhook')])].join(' · ')}
        {['', timeOf(row.at), formatBytes(row.bytes), row.id].join(' · ')}
        {event.isTest && ` · ${l10n.t('test event')}`}
      </p>
      <History {...{ model, event }} />
      {model.isEditing ? (
        <EditForm {...{ model, event }} />
      ) : (
        <>
          <Toolbar {...{ model, event }} />
          <Result {...{ model, event }} />
          <Body {...{ model, event }} />
          <Headers {...{ model, event }} />
        </>
      )}
    </section>
  );
}

function History({ model, event }: DetailProps): JSX.Element | null {
  const { origin, edits, row } = event;
  if (!origin && edits.length === 0) return null;
  const link = (id: string): JSX.Element => (
    <button key={id} type="button" class="link" onClick={() => void model.open(id)}>
      {id}
    </button>
  );
  return (
    <p class="history">
      {origin && (
        <>
          {origin.isEdit ? l10n.t('Edit of') : l10n.t('Replay of')} {link(origin.id)}{' '}
          <button
            type="button"
            class="link"
            onClick={() => void model.send('compare', { id: origin.id, with: row.id })}
          >
            {l10n.t('Compare')}
          </button>
        </>
      )}
      {edits.length > 0 && (
        <>
          {edits.length === 1 ? l10n.t('1 edit of {0}:', row.id) : l10n.t('{0} edits of {1}:', edits.length, row.id)}{' '}
          {edits.map(link)}
        </>
      )}
    </p>
  );
}

function Toolbar({ model, event }: DetailProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const opener = useRef<HTMLDivElement>(null);
  const { id, isPinned } = event.row;
  const act = (action: EventAction): void => void model.send('act', { id, action, trigger: null });
  const canRetry = event.runs.some(({ state }) => state !== 'succeeded');
  const copies = [
    { id: 'curl', label: l10n.t('Copy as curl') },
    { id: 'fetch', label: l10n.t('Copy as fetch') },
    { id: 'fixture', label: l10n.t('Copy as Test Fixture') },
  ];
  const close = (): void => {
    setOpen(false);
    if (document.activeElement?.closest('.popup')) opener.current?.querySelector<HTMLElement>('vscode-button')?.focus();
  };
  return (
    <div class="toolbar" role="group" aria-label={l10n.t('Actions')}>
      <Button icon="icon-edit" onClick={() => model.edit(true)}>
        {l10n.t('Edit and Resend')}
      </Button>
      <Button appearance="secondary" icon="icon-again" onClick={() => act('replay')}>
        {l10n.t('Replay')}
      </Button>
      {canRetry && (
        <Button appearance="secondary" icon="icon-run" onClick={() => act('retry')}>
          {l10n.t('Retry Now')}
        </Button>
      )}
      <Button appearance="secondary" icon="icon-diff" onClick={() => act('compare')}>
        {l10n.t('Compare…')}
      </Button>
      <div class="menu" ref={opener}>
        <IconButton label={l10n.t('Copy')} icon="icon-copy" onClick={() => setOpen(!isOpen)} />
        {isOpen && (
          <Popup
            label={l10n.t('Copy')}
            items={copies}
            close={close}
            choose={(action) => {
              close();
              act(action as EventAction);
            }}
          />
        )}
      </div>
      <IconButton
        label={isPinned ? l10n.t('Unpin') : l10n.t('Pin')}
        icon={isPinned ? 'icon-pinned' : 'icon-pin'}
        onClick={() => void model.pin(event.row)}
      />
    </div>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <div class="part">
      <h3>{title}</h3>
      {children}
    </div>
  );
}

function Result({ model, event }: DetailProps): JSX.Element {
  const { evaluations, disabled, runs, row, isDamaged } = event;
  return (
    <Section title={l10n.t('Result')}>
      {isDamaged && <p>{l10n.t('The record of its triggers and runs is damaged.')}</p>}
      {evaluations.length + disabled.length === 0 && !isDamaged && (
        <p>
          {row.status === 'received'
            ? l10n.t('Its triggers are being evaluated.')
            : l10n.t('Its webhook had no trigger.')}
        </p>
      )}
      {evaluations.map((evaluation) => (
        <Evaluation key={evaluation.trigger} {...{ evaluation }} />
      ))}
      {disabled.map((name) => (
        <p key={name}>{l10n.t('{0} is disabled.', name)}</p>
      ))}
      {runs.map((run) => (
        <Run key={run.trigger} {...{ model, run }} id={row.id} />
      ))}
    </Section>
  );
}

function Evaluation({ evaluation }: { readonly evaluation: ShownEvaluation }): JSX.Element {
  const { trigger, fires, because, tree } = evaluation;
  return (
    <details class="evaluation">
      <summary>
        <span class={`icon ${fires ? 'icon-pass succeeded' : 'icon-circle'}`} />
        <span class="label">
          <strong>{trigger}</strong> {fires ? l10n.t('fired') : l10n.t('did not fire: {0}', because)}
        </span>
      </summary>
      <pre tabIndex={0}>{tree}</pre>
    </details>
  );
}

function Run({
  model,
  run,
  id,
}: {
  readonly model: EventsModel;
  readonly run: ShownRun;
  readonly id: string;
}): JSX.Element {
  const { trigger, expert, request, state, nextAt, waitsForEditor, attempts } = run;
  const words = {
    waiting: waitsForEditor
      ? l10n.t('waits for a window that runs this expert')
      : attempts.length === 0
        ? l10n.t('waiting')
        : l10n.t('failed, to be tried again'),
    succeeded: l10n.t('succeeded'),
    failed: l10n.t('failed'),
  };
  const icons = { waiting: 'icon-sync', succeeded: 'icon-pass succeeded', failed: 'icon-error failed' };
  return (
    <div class="run">
      <p class="run-head">
        <span class={`icon ${icons[state]}`} />
        <span class="label">
          <strong>{expert}</strong> {words[state]}
          {nextAt !== null && ` · ${l10n.t('next retry {0}', timeOf(nextAt))}`}
        </span>
        {state !== 'succeeded' && !waitsForEditor && (
          <button type="button" class="link" onClick={() => void model.send('act', { id, action: 'retry', trigger })}>
            {l10n.t('Retry Now')}
          </button>
        )}
      </p>
      {request !== '' && <p class="request">{request}</p>}
      {attempts.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">{l10n.t('Time')}</th>
              <th scope="col">{l10n.t('Duration')}</th>
              <th scope="col">{l10n.t('Answer')}</th>
            </tr>
          </thead>
          <tbody>
            {attempts.map(({ at, milliseconds, result }: ShownAttempt) => (
              <Fragment key={at}>
                <tr>
                  <td>{timeOf(at)}</td>
                  <td>{l10n.t('{0} ms', milliseconds)}</td>
                  <td>{result.split('\n', 1)[0]}</td>
                </tr>
                {result.trim().includes('\n') && (
                  <tr>
                    <td colSpan={3}>
                      <LongResult text={result} />
                    </td>
                  </tr>
                )}
              </Fragment>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

/** An answer of several lines, such as that of a model or the output of a command. */
function LongResult({ text }: { readonly text: string }): JSX.Element {
  return (
    // Scrolled by keyboard, too.
    <pre class="answer" tabIndex={0}>
      {text.trim()}
    </pre>
  );
}

function Body({ model, event }: DetailProps): JSX.Element {
  const [isRaw, setRaw] = useState(false);
  // A page draws with each step of a scroll; a body is parsed once.
  const parsed = useMemo(() => parseBody(event.body), [event.body]);
  const secrets = useMemo(() => secretTexts(event), [event.body]);
  const shown = isRaw || !parsed;
  const view = (raw: boolean, label: string): JSX.Element => (
    <button
      type="button"
      class={shown === raw ? 'chip on' : 'chip'}
      aria-pressed={shown === raw}
      disabled={!parsed && !raw}
      onClick={() => setRaw(raw)}
    >
      {label}
    </button>
  );
  return (
    <Section title={l10n.t('Body')}>
      <div class="chips">
        {view(false, l10n.t('Tree'))}
        {view(true, l10n.t('Raw'))}
        <button
          type="button"
          class="chip"
          onClick={() => void model.send('act', { id: event.row.id, action: 'raw', trigger: null })}
        >
          {l10n.t('Open in Editor')}
        </button>
        <ShowSecrets {...{ model, event }} />
      </div>
      {shown ? (
        <pre class="raw" tabIndex={0}>
          {masked(event, model.hasSecrets)}
        </pre>
      ) : (
        <>
          <p class="hint">{l10n.t('Select a value to filter by it.')}</p>
          <JsonTree
            value={parsed.value}
            hasSecrets={model.hasSecrets}
            secrets={secrets}
            choose={(path) => void model.send('filterBy', { id: event.row.id, path })}
          />
        </>
      )}
    </Section>
  );
}

/** Most characters of a body on the page; the editor shows all. */
const MAX_RAW = 100_000;

/** Secret values as the tree shows them: without escapes that JSON does not need, such as `\/`. */
function secretTexts({ body, secrets }: ShownEvent): ReadonlySet<string> {
  const texts = secrets.map(({ start, end }) => body.slice(start, end));
  return new Set(texts.map((text) => (text.startsWith('"') ? JSON.stringify(JSON.parse(text)) : text)));
}

/** The body with its secrets replaced. */
function masked({ body, secrets }: ShownEvent, hasSecrets: boolean): string {
  let text = '';
  let at = 0;
  for (const { start, end } of hasSecrets ? [] : secrets) {
    text += body.slice(at, start) + MASK;
    at = end;
  }
  text += body.slice(at);
  return text.length > MAX_RAW ? `${text.slice(0, MAX_RAW)}…` : text;
}

function ShowSecrets({ model, event }: DetailProps): JSX.Element | null {
  const isNeeded = event.secrets.length > 0 || event.headers.some(({ isSecret }) => isSecret);
  if (!isNeeded || model.hasSecrets) return null;
  return (
    <button type="button" class="chip" onClick={() => model.showSecrets()}>
      {l10n.t('Show Secrets')}
    </button>
  );
}

function Headers({ model, event }: DetailProps): JSX.Element {
  const { headers, proof } = event;
  const icons = { valid: 'icon-pass succeeded', invalid: 'icon-error failed', unchecked: 'icon-circle' };
  return (
    <Section title={l10n.t('Headers')}>
      <p class="run-head">
        <span class={`icon ${icons[proof.state]}`} />
        <span class="label">{proof.text}</span>
      </p>
      <table class="headers">
        <thead class="spoken">
          <tr>
            <th scope="col">{l10n.t('Name')}</th>
            <th scope="col">{l10n.t('Value')}</th>
          </tr>
        </thead>
        <tbody>
          {headers.map(({ name, value, isSecret }, i) => (
            <tr key={i}>
              <th scope="row">{name}</th>
              <td>{isSecret && !model.hasSecrets ? MASK : value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}
